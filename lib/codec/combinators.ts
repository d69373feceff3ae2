import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { compareCodePoints, type FaultType, nowhere, placeIn, rejectValue } from './fault'
import { isArray, isObject, type JsonObject, type JsonValue, Literal, numberOf } from './json/json'

/** An io-ts decoder of a JSON value, which is `undefined` for a member that is absent. */
export type Decoder<A> = t.Decoder<unknown, A>

/** What a decoder returns. */
export type Decoded<D> = D extends t.Decoder<unknown, infer A> ? A : never

/** Creates a decoder. Finding the places of faults takes longer than decoding, so a value is decoded again for them if it has any. */
export const createDecoder = <A>(name: string, validate: t.Validate<unknown, A>): Decoder<A> => {
  const decoder: Decoder<A> = {
    name,
    validate,
    decode: (value) => {
      const decoded = validate(value, nowhere)
      return E.isRight(decoded)
        ? decoded
        : validate(value, [{ key: '', type: decoder, actual: value }])
    },
  }
  return decoder
}

/** Any JSON value. */
export const json = createDecoder<JsonValue>('any value', (value, context) =>
  value === undefined
    ? rejectValue(value, context, 'value', 'must be a value')
    : t.success(value as JsonValue),
)

/** Creates a decoder of JSON values of one type. */
const ofType = <A extends JsonValue>(
  name: string,
  isType: (value: unknown) => value is A,
  fault: FaultType,
): Decoder<A> =>
  createDecoder(name, (value, context) =>
    isType(value) ? t.success(value) : rejectValue(value, context, fault, `must be ${name}`),
  )

const isString = (value: unknown): value is string => typeof value === 'string'

const isLiteral = (value: unknown): value is Literal => value instanceof Literal

/** A JSON string. */
export const string = ofType('a string', isString, 'string_type')

/** A JSON number, which keeps its text. */
export const literalNumber = ofType('a number', isLiteral, 'number_type')

/** A JSON object. */
export const anyObject = ofType('an object', isObject, 'object_type')

/** A JSON array. */
export const anyArray = ofType('an array', isArray, 'array_type')

/** A JSON number as the nearest double. Its text is lost. */
export const number = createDecoder<number>(literalNumber.name, (value, context) => {
  const literal = literalNumber.validate(value, context)
  return E.isRight(literal) ? t.success(numberOf(literal.right)) : literal
})

/** A JSON number with an integer value (`407`, `4e2`), which keeps its text. */
export const integer = createDecoder<Literal>('an integer', (value, context) =>
  value instanceof Literal && Number.isInteger(numberOf(value))
    ? t.success(value)
    : rejectValue(value, context, 'integer_type', 'must be an integer'),
)

/** A JSON string with this text. */
export const literal = <L extends string>(text: L): Decoder<L> =>
  createDecoder(text, (value, context) => {
    const read = string.validate(value, context)
    if (E.isLeft(read)) return read
    return read.right === text ? t.success(text) : t.failure(read.right, context)
  })

/** A JSON array whose elements are all read by `item`. If it has many faults, the first are collected. */
export const array = <A>(item: Decoder<A>): Decoder<ReadonlyArray<A>> =>
  createDecoder('an array', (value, context) => {
    const opened = anyArray.validate(value, context)
    if (E.isLeft(opened)) return opened
    const read: Array<A> = []
    const errors: t.Errors = []
    for (const [index, one] of opened.right.entries()) {
      const decoded = item.validate(one, placeIn(context, String(index), item, one))
      if (E.isRight(decoded)) read.push(decoded.right)
      else for (const error of decoded.left) errors.push(error)
      if (errors.length >= maxFaults) break
    }
    return errors.length > 0 ? E.left(errors) : t.success(read)
  })

/** Refuses an empty text or list. */
export const nonEmpty = <A extends { readonly length: number }>(
  decoder: Decoder<A>,
  message = 'must not be empty',
): Decoder<A> =>
  createDecoder(decoder.name, (value, context) => {
    const read = decoder.validate(value, context)
    return E.isRight(read) && read.right.length === 0
      ? rejectValue(value, context, 'empty', message)
      : read
  })

/** Replaces a member that is absent by `otherwise`. */
export const withDefault = <A>(decoder: Decoder<A>, otherwise: A): Decoder<A> =>
  createDecoder(decoder.name, (value, context) =>
    value === undefined ? t.success(otherwise) : decoder.validate(value, context),
  )

/**
 * About this many faults of one object or array are collected, since a document of 2 MiB could have half a million.
 */
export const maxFaults = 2000

/**
 * Decodes a JSON object whose names come from outside to its values by name, each by `validate`. Its faults are in
 * code point order of the names, so that the same document always reports the same fault first.
 */
const decodeValues = <A>(
  validate: t.Validate<unknown, A>,
  value: unknown,
  context: t.Context,
): t.Validation<ReadonlyMap<string, A>> => {
  if (!isObject(value)) return rejectValue(value, context, 'object_type', 'must be an object')
  const decoded = new Map<string, A>()
  for (const [key, one] of value) {
    const result = validate(one, nowhere)
    if (E.isLeft(result)) return E.left(faultsOfValues(value, validate, context))
    decoded.set(key, result.right)
  }
  return t.success(decoded)
}

const faultsOfValues = (
  values: JsonObject,
  validate: t.Validate<unknown, unknown>,
  context: t.Context,
): t.Errors => {
  const errors: t.Errors = []
  const sorted = [...values].sort(([a], [b]) => compareCodePoints(a, b))
  for (const [key, value] of sorted) {
    if (errors.length >= maxFaults) break
    const read = validate(value, placeIn(context, key, json, value))
    if (E.isLeft(read)) for (const error of read.left) errors.push(error)
  }
  return errors
}

/** A JSON object whose names come from outside, as a map. */
export const dictionary = <A>(item: Decoder<A>): Decoder<ReadonlyMap<string, A>> =>
  createDecoder('an object', (value, context) => decodeValues(item.validate, value, context))

/** A JSON object whose names come from outside, as pairs in document order. */
export const record = <A>(item: Decoder<A>): Decoder<ReadonlyArray<readonly [string, A]>> =>
  createDecoder('an object', (value, context) => {
    const read = decodeValues(item.validate, value, context)
    return E.isRight(read) ? t.success([...read.right]) : read
  })

/** A JSON object whose values are checked by `item`. It stays as it is. */
export const objectOfEach = (item: Decoder<unknown>): Decoder<JsonObject> =>
  createDecoder('an object', (value, context) => {
    const read = decodeValues(item.validate, value, context)
    return E.isRight(read) ? t.success(value as JsonObject) : read
  })
