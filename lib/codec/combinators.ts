import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { compareCodePoints, type FaultType, nowhere, placeIn, rejectValue } from './fault'
import {
  itemsOf,
  Json,
  type JsonKind,
  kindOf,
  MemberCursor,
  numberOf,
  stringOf,
  valuesOf,
} from './json/json'

/**
 * An io-ts decoder of a `Json`, which is text that has not been parsed yet, so that number literals and the order of keys
 * survive (D7). io-ts's own types expect parsed values: the decoders here open the text one level at a time.
 */
export type Decoder<A> = t.Decoder<unknown, A>

/** What a decoder returns. */
export type Decoded<D> = D extends t.Decoder<unknown, infer A> ? A : never

/** Creates a decoder. The places of faults take longer than the decoding, so they are only looked for where there is one. */
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

/** Whether a value is JSON of this kind. */
export const isKind = (value: unknown, kind: JsonKind): value is Json =>
  value instanceof Json && kindOf(value) === kind

/** Any JSON value, with its text unchanged. */
export const json = createDecoder<Json>('any value', (value, context) =>
  value instanceof Json
    ? t.success(value)
    : rejectValue(value, context, 'value', 'must be a value'),
)

/** Creates a decoder of JSON values of one kind. */
const ofKind = <A>(
  kind: JsonKind,
  fault: FaultType,
  name: string,
  read: (value: Json) => A,
): Decoder<A> =>
  createDecoder(name, (value, context) =>
    isKind(value, kind)
      ? t.success(read(value))
      : rejectValue(value, context, fault, `must be ${name}`),
  )

/** A JSON string as its text. */
export const string = ofKind('string', 'string_type', 'a string', stringOf)

/** A JSON number as the nearest double. Its literal is lost. */
export const number = ofKind('number', 'number_type', 'a number', numberOf)

/** A JSON string, with its text unchanged. */
export const anyString = ofKind('string', 'string_type', 'a string', t.identity<Json>)

/** A JSON number, with its literal unchanged. */
export const anyNumber = ofKind('number', 'number_type', 'a number', t.identity<Json>)

/** A JSON object, with its text unchanged. */
export const anyObject = ofKind('object', 'object_type', 'an object', t.identity<Json>)

/** A JSON array, with its text unchanged. */
export const anyArray = ofKind('array', 'array_type', 'an array', t.identity<Json>)

/** A JSON array, split into its elements. */
const elements = ofKind('array', 'array_type', 'an array', itemsOf)

/** A JSON number with an integer value (`407`, `4e2`), with its literal unchanged. */
export const integer = createDecoder<Json>('an integer', (value, context) =>
  isKind(value, 'number') && Number.isInteger(numberOf(value))
    ? t.success(value)
    : rejectValue(value, context, 'integer_type', 'must be an integer'),
)

/** A JSON value, or null for JSON null. */
export const orNull = createDecoder<Json | null>('any value', (value, context) =>
  isKind(value, 'null') ? t.success(null) : json.validate(value, context),
)

/** A JSON string with this text. */
export const literal = <L extends string>(text: L): Decoder<L> =>
  createDecoder(text, (value, context) => {
    const read = string.validate(value, context)
    if (E.isLeft(read)) return read
    return read.right === text ? t.success(text) : t.failure(read.right, context)
  })

/** A JSON array whose elements are all read by `item`. Of one with many faults the first are collected. */
export const array = <A>(item: Decoder<A>): Decoder<ReadonlyArray<A>> =>
  createDecoder('an array', (value, context) => {
    const opened = elements.validate(value, context)
    if (E.isLeft(opened)) return opened
    const read: Array<A> = []
    const errors: t.Errors = []
    for (const [index, one] of opened.right.entries()) {
      const decoded = item.validate(one, placeIn(context, String(index), item, one))
      if (E.isRight(decoded)) read.push(decoded.right)
      else for (const error of decoded.left) errors.push(error)
      if (errors.length >= mostFaults) break
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
 * How many faults of one object or array are collected, about: the search ends there, since a document of 2 MiB could
 * have half a million. D80
 */
export const mostFaults = 2000

/**
 * Decodes a JSON object whose names come from outside to its values by name, each by `validate`. Its faults are in
 * code point order of the names, so that the same document always reports the same fault first. D14
 */
export const decodeValues = <A>(
  validate: t.Validate<unknown, A>,
  value: unknown,
  context: t.Context,
): t.Validation<ReadonlyMap<string, A>> => {
  if (!isKind(value, 'object'))
    return rejectValue(value, context, 'object_type', 'must be an object')
  const decoded = new Map<string, A>()
  const member = new MemberCursor(value)
  while (member.next()) {
    const result = validate(member.value, nowhere)
    if (E.isLeft(result)) return decodeLast(valuesOf(value), validate, context)
    decoded.set(member.key, result.right)
  }
  return t.success(decoded)
}

/** Decodes values of which at least one is faulty, unless it is one whose key is repeated: the last value counts. D13 */
const decodeLast = <A>(
  values: ReadonlyMap<string, Json>,
  validate: t.Validate<unknown, A>,
  context: t.Context,
): t.Validation<ReadonlyMap<string, A>> => {
  const decoded = new Map<string, A>()
  const errors: t.Errors = []
  const sorted = [...values].sort(([a], [b]) => compareCodePoints(a, b))
  for (const [key, value] of sorted) {
    if (errors.length >= mostFaults) break
    const read = validate(value, placeIn(context, key, json, value))
    if (E.isRight(read)) decoded.set(key, read.right)
    else for (const error of read.left) errors.push(error)
  }
  if (errors.length > 0) return E.left(errors)
  return t.success(new Map(Array.from(values.keys(), (key) => [key, decoded.get(key) as A])))
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

/** A JSON object whose values are checked by `item`, with its text unchanged. */
export const objectOfEach = (item: Decoder<unknown>): Decoder<Json> =>
  createDecoder('an object', (value, context) => {
    const read = decodeValues(item.validate, value, context)
    return E.isRight(read) ? t.success(value as Json) : read
  })
