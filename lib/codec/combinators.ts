import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import {
  compareCodePoints,
  contextOf,
  type FaultType,
  noContext,
  rejectValue,
  requiredMessage,
} from './fault'
import { isArray, isObject, type JsonObject, type JsonValue, Literal, numberOf } from './json/json'

/** Decoding an object or array stops after about this number of faults. A document of 2 MiB could have half a million faults. */
export const maxFaults = 2000

/** An io-ts decoder of a JSON value. The value of an absent member is `undefined`. */
export type Decoder<A> = t.Decoder<unknown, A>

/** The type of the values that a decoder returns. */
export type Decoded<D> = D extends t.Decoder<unknown, infer A> ? A : never

/**
 * Creates a decoder from an io-ts `validate` function. `decode` first validates without a context, because building contexts takes
 * longer than decoding. Only if the value is invalid, it validates again with a context, which locates the faults.
 */
export const createDecoder = <A>(name: string, validate: t.Validate<unknown, A>): Decoder<A> => {
  const decoder: Decoder<A> = {
    name,
    validate,
    decode: (value) => {
      const decoded = validate(value, noContext)
      return E.isRight(decoded)
        ? decoded
        : validate(value, [{ key: '', type: decoder, actual: value }])
    },
  }
  return decoder
}

/** A decoder of any JSON value. It refuses only an absent one. */
export const json = createDecoder<JsonValue>('any value', (value, context) =>
  value === undefined
    ? rejectValue(value, context, 'missing', requiredMessage)
    : t.success(value as JsonValue),
)

/** Creates a decoder of JSON values of one type. `name` is the type with its article, such as `a string`. */
const createTypeDecoder = <A extends JsonValue>(
  name: string,
  isOfType: (value: unknown) => value is A,
  faultType: FaultType,
): Decoder<A> =>
  createDecoder(name, (value, context) =>
    isOfType(value) ? t.success(value) : rejectValue(value, context, faultType, `must be ${name}`),
  )

const isString = (value: unknown): value is string => typeof value === 'string'

const isJsonNumber = (value: unknown): value is Literal => value instanceof Literal

/** Creates a decoder like `decoder` that converts its result. */
export const mapDecoded = <A, B>(decoder: Decoder<A>, convert: (decoded: A) => B): Decoder<B> =>
  createDecoder(decoder.name, (value, context) => {
    const decoded = decoder.validate(value, context)
    return E.isRight(decoded) ? t.success(convert(decoded.right)) : decoded
  })

/** A decoder of a JSON string. */
export const string = createTypeDecoder('a string', isString, 'string_type')

/** A decoder of a JSON number. It keeps the text of the number. */
export const jsonNumber = createTypeDecoder('a number', isJsonNumber, 'number_type')

/** A decoder of a JSON object. */
export const anyObject = createTypeDecoder('an object', isObject, 'object_type')

/** A decoder of a JSON array. */
export const anyArray = createTypeDecoder('an array', isArray, 'array_type')

/** A decoder of a JSON number to the nearest double. */
export const number = mapDecoded(jsonNumber, numberOf)

/** A decoder of a JSON number whose value is an integer, such as `407` or `4e2`. It keeps the text of the number. */
export const integer = createDecoder<Literal>('an integer', (value, context) =>
  value instanceof Literal && Number.isInteger(numberOf(value))
    ? t.success(value)
    : rejectValue(value, context, 'integer_type', 'must be an integer'),
)

/** Creates a decoder of the one JSON string `text`. */
export const exactString = <L extends string>(text: L): Decoder<L> =>
  createDecoder(text, (value, context) => {
    const decoded = string.validate(value, context)
    if (E.isLeft(decoded)) return decoded
    return decoded.right === text ? t.success(text) : t.failure(value, context)
  })

/** Creates a decoder of a JSON array. `item` decodes its elements. Stops after `maxFaults` faults. */
export const array = <A>(item: Decoder<A>): Decoder<ReadonlyArray<A>> =>
  createDecoder('an array', (value, context) => {
    const elements = anyArray.validate(value, context)
    if (E.isLeft(elements)) return elements
    const items: A[] = []
    const errors: t.Errors = []
    for (const [index, element] of elements.right.entries()) {
      const decoded = item.validate(element, contextOf(context, String(index), item, element))
      if (E.isRight(decoded)) items.push(decoded.right)
      else for (const error of decoded.left) errors.push(error)
      if (errors.length >= maxFaults) break
    }
    return errors.length > 0 ? E.left(errors) : t.success(items)
  })

/** Creates a decoder like `decoder` that refuses an empty string or array. */
export const nonEmpty = <A extends { readonly length: number }>(
  decoder: Decoder<A>,
  message = 'must not be empty',
): Decoder<A> =>
  createDecoder(decoder.name, (value, context) => {
    const decoded = decoder.validate(value, context)
    return E.isRight(decoded) && decoded.right.length === 0
      ? rejectValue(value, context, 'empty', message)
      : decoded
  })

/** Creates a decoder like `decoder` that returns `fallback` for an absent value. */
export const withDefault = <A>(decoder: Decoder<A>, fallback: A): Decoder<A> =>
  createDecoder(decoder.name, (value, context) =>
    value === undefined ? t.success(fallback) : decoder.validate(value, context),
  )

/** Creates a decoder like `decoder` that returns `undefined` for an invalid value. */
export const lenient = <A>(decoder: Decoder<A>): Decoder<A | undefined> =>
  createDecoder(decoder.name, (value) => {
    const decoded = decoder.validate(value, noContext)
    return t.success(E.isRight(decoded) ? decoded.right : undefined)
  })

/** Creates a decoder of a JSON object with any names. It returns a map of the values that `decoder` decodes. */
export const mapOf = <A>(decoder: Decoder<A>): Decoder<ReadonlyMap<string, A>> =>
  createDecoder('an object', (value, context) => decodeEachMember(value, decoder, context))

/** Creates a decoder like `mapOf` that returns pairs of a name and a value, in document order. */
export const pairsOf = <A>(decoder: Decoder<A>): Decoder<ReadonlyArray<readonly [string, A]>> =>
  mapDecoded(mapOf(decoder), (members) => [...members])

/** Creates a decoder like `mapOf` that returns the object unchanged. */
export const objectOfEach = (decoder: Decoder<unknown>): Decoder<JsonObject> =>
  createDecoder('an object', (value, context) => {
    const decoded = decodeEachMember(value, decoder, context)
    return E.isRight(decoded) ? t.success(value as JsonObject) : decoded
  })

const decodeEachMember = <A>(
  value: unknown,
  decoder: Decoder<A>,
  context: t.Context,
): t.Validation<ReadonlyMap<string, A>> => {
  if (!isObject(value)) return rejectValue(value, context, 'object_type', 'must be an object')
  const members = new Map<string, A>()
  for (const [name, member] of value) {
    const decoded = decoder.validate(member, noContext)
    // `listMemberErrors` decodes all members again, because errors are in the order of the names.
    if (E.isLeft(decoded)) return E.left(listMemberErrors(value, decoder, context))
    members.set(name, decoded.right)
  }
  return t.success(members)
}

/**
 * Lists the errors of the members, in code point order of their names. The first error thus does not depend on the order in which
 * a service sends its members.
 */
const listMemberErrors = (
  object: JsonObject,
  decoder: Decoder<unknown>,
  context: t.Context,
): t.Errors => {
  const errors: t.Errors = []
  const sorted = [...object].sort(([a], [b]) => compareCodePoints(a, b))
  for (const [name, member] of sorted) {
    if (errors.length >= maxFaults) break
    const decoded = decoder.validate(member, contextOf(context, name, decoder, member))
    if (E.isLeft(decoded)) for (const error of decoded.left) errors.push(error)
  }
  return errors
}
