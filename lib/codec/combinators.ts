import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { type Draft, Entries } from '../json/draft'
import {
  itemsOf,
  Json,
  type JsonKind,
  kindOf,
  MemberCursor,
  numberOf,
  stringOf,
  valuesOf,
} from '../json/json'
import { compareCodePoints, type FaultType, nowhere, placeIn, rejectValue } from './fault'

/**
 * An io-ts codec that decodes a `Json` and encodes to a draft of a document. A `Json` is text that has not been
 * parsed yet, so that number literals and the order of keys survive (D7). io-ts's own types expect parsed
 * values: the types here open the text one level at a time, and io-ts's combinators work on what is inside.
 */
export type Codec<A> = t.Type<A, Draft, unknown>

const isKind = (value: unknown, kind: JsonKind): value is Json =>
  value instanceof Json && kindOf(value) === kind

/** Any JSON value, with its text unchanged. */
export const json: Codec<Json> = new t.Type(
  'any value',
  (value): value is Json => value instanceof Json,
  (value, context) =>
    value instanceof Json
      ? t.success(value)
      : rejectValue(value, context, 'value', 'must be a value'),
  t.identity,
)

/** Creates a codec for JSON values of one kind. `is` recognises the values that `read` returns. */
const ofKind = <A extends Draft>(
  kind: JsonKind,
  fault: FaultType,
  name: string,
  is: t.Is<A>,
  read: (value: Json) => A,
): Codec<A> =>
  new t.Type(
    name,
    is,
    (value, context) =>
      isKind(value, kind)
        ? t.success(read(value))
        : rejectValue(value, context, fault, `must be ${name}`),
    t.identity,
  )

const isString = (value: unknown): value is string => typeof value === 'string'

/** A JSON string as its text. */
export const string = ofKind('string', 'string_type', 'a string', isString, stringOf)

/** A JSON number as the nearest double. Its literal is lost. */
export const number = ofKind(
  'number',
  'number_type',
  'a number',
  (value): value is number => typeof value === 'number',
  numberOf,
)

/** A JSON number with an integer value (`407`, `4e2`), with its literal unchanged. */
export const integer: Codec<Json> = new t.Type(
  'an integer',
  json.is,
  (value, context) =>
    isKind(value, 'number') && Number.isInteger(numberOf(value))
      ? t.success(value)
      : rejectValue(value, context, 'integer_type', 'must be an integer'),
  t.identity,
)

/** A JSON value, or null for JSON null. */
export const orNull: Codec<Json | null> = new t.Type(
  'any value',
  (value): value is Json | null => value === null || json.is(value),
  (value, context) => (isKind(value, 'null') ? t.success(null) : json.validate(value, context)),
  t.identity,
)

/** A JSON string with this text. */
export const literal = <L extends string>(text: L): Codec<L> =>
  new t.Type(
    text,
    (value): value is L => value === text,
    (value, context) => {
      const read = string.validate(value, context)
      if (E.isLeft(read)) return read
      return read.right === text ? t.success(text) : t.failure(read.right, context)
    },
    t.identity,
  )

const ofKindUnchanged = (kind: JsonKind, fault: FaultType, name: string): Codec<Json> =>
  ofKind(kind, fault, name, (value): value is Json => isKind(value, kind), t.identity)

/** A JSON string, with its text unchanged. */
export const anyString = ofKindUnchanged('string', 'string_type', 'a string')

/** A JSON number, with its literal unchanged. */
export const anyNumber = ofKindUnchanged('number', 'number_type', 'a number')

/** A JSON object, with its text unchanged. */
export const anyObject = ofKindUnchanged('object', 'object_type', 'an object')

/** A JSON array, with its text unchanged. */
export const anyArray = ofKindUnchanged('array', 'array_type', 'an array')

/** A JSON array, split into its elements. */
const elements: Codec<ReadonlyArray<Draft>> = ofKind(
  'array',
  'array_type',
  'an array',
  (value): value is ReadonlyArray<Draft> => Array.isArray(value),
  itemsOf,
)

/** A JSON array whose elements are all read by `item`. Of one with many faults the first are collected. */
export const array = <A>(item: Codec<A>): Codec<ReadonlyArray<A>> =>
  new t.Type(
    'an array',
    (value): value is ReadonlyArray<A> => Array.isArray(value) && value.every(item.is),
    (value, context) => {
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
    },
    (values) => values.map(item.encode),
  )

/** Refuses an empty text or list. */
export const nonEmpty = <A extends { readonly length: number }, O>(
  codec: t.Type<A, O, unknown>,
  message = 'must not be empty',
): t.Type<A, O, unknown> =>
  new t.Type(
    codec.name,
    codec.is,
    (value, context) => {
      const read = codec.validate(value, context)
      return E.isRight(read) && read.right.length === 0
        ? rejectValue(value, context, 'empty', message)
        : read
    },
    codec.encode,
  )

/** Replaces a member that is absent by `otherwise`. */
export const withDefault = <A, O>(
  codec: t.Type<A, O, unknown>,
  otherwise: A,
): t.Type<A, O, unknown> =>
  new t.Type(
    codec.name,
    codec.is,
    (value, context) =>
      value === undefined ? t.success(otherwise) : codec.validate(value, context),
    codec.encode,
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
  if (!anyObject.is(value)) return rejectValue(value, context, 'object_type', 'must be an object')
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
  const faults = findFaults(values, validate, context)
  if (faults.length > 0) return E.left(faults)
  return t.success(
    new Map(
      [...values].flatMap(([key, one]) => {
        const read = validate(one, nowhere)
        return E.isRight(read) ? [[key, read.right] as const] : []
      }),
    ),
  )
}

/** A JSON object whose names come from outside, as pairs in document order. */
export const record = <A>(item: Codec<A>): Codec<ReadonlyArray<readonly [string, A]>> => {
  type Pairs = ReadonlyArray<readonly [string, A]>
  return new t.Type(
    'an object',
    (value): value is Pairs =>
      Array.isArray(value) && value.every((pair) => isString(pair?.[0]) && item.is(pair[1])),
    (value, context) =>
      E.map((read: ReadonlyMap<string, A>) => [...read])(
        decodeValues(item.validate, value, context),
      ),
    (pairs) => new Entries(pairs.map(([key, value]) => [key, item.encode(value)] as const)),
  )
}

/** A JSON object whose names come from outside, as a map from names to values that are kept as text. */
export const dictionary = (item: Codec<Json>): Codec<ReadonlyMap<string, Json>> =>
  new t.Type<ReadonlyMap<string, Json>, Draft, unknown>(
    'an object',
    (value): value is ReadonlyMap<string, Json> => value instanceof Map,
    (value, context) => decodeValues(item.validate, value, context),
    (values) => new Entries(values),
  )

/** A JSON object whose values are checked by `item`, with its text unchanged. */
export const objectOfEach = (item: Codec<Json>): Codec<Json> =>
  new t.Type(
    'an object',
    json.is,
    (value, context) => {
      const opened = anyObject.validate(value, context)
      if (E.isLeft(opened)) return opened
      let faulty = false
      const member = new MemberCursor(opened.right)
      while (!faulty && member.next()) faulty = E.isLeft(item.validate(member.value, nowhere))
      const errors = faulty ? findFaults(valuesOf(opened.right), item.validate, context) : []
      return errors.length > 0 ? E.left(errors) : opened
    },
    t.identity,
  )

const findFaults = (
  values: ReadonlyMap<string, Json>,
  validate: t.Validate<unknown, unknown>,
  context: t.Context,
): t.Errors => {
  const errors: t.Errors = []
  const sorted = [...values].sort(([a], [b]) => compareCodePoints(a, b))
  for (const [key, value] of sorted) {
    if (errors.length >= mostFaults) break
    const decoded = validate(value, placeIn(context, key, json, value))
    if (E.isLeft(decoded)) for (const error of decoded.left) errors.push(error)
  }
  return errors
}
