import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { type Draft, Entries } from '../json/draft'
import {
  items,
  Json,
  type JsonKind,
  kindOf,
  type Member,
  members,
  numberOf,
  stringOf,
} from '../json/json'
import { enough, type FaultType, isQuick, refuse, within } from './fault'
import { byCodePoint } from './order'

/** Decodes a window on JSON text; encodes to a draft of a document. */
export type Codec<A> = t.Type<A, Draft, Json>

/** A member that is not there, or is null, where one is needed. */
export const requiredMessage = 'is required'

const isJson = (value: unknown): value is Json => value instanceof Json

/** Any JSON value, kept with its literal. D7 */
export const json: Codec<Json> = new t.Type('any value', isJson, t.success, (value) => value)

const ofKind = <A>(
  name: string,
  kind: JsonKind,
  fault: FaultType,
  is: (value: unknown) => value is A,
  read: (value: Json) => A,
  encode: (value: A) => Draft,
): Codec<A> =>
  new t.Type(
    name,
    is,
    (value, context) =>
      kindOf(value) === kind
        ? t.success(read(value))
        : refuse(value, context, fault, `must be ${name}`),
    encode,
  )

/** A JSON string as its text. */
export const string: Codec<string> = ofKind(
  'a string',
  'string',
  'string_type',
  t.string.is,
  stringOf,
  (value) => value,
)

/** A JSON number as the nearest double; its literal is lost. */
export const number: Codec<number> = ofKind(
  'a number',
  'number',
  'number_type',
  t.number.is,
  numberOf,
  (value) => value,
)

/** A JSON number without a fraction (`407`, `4e2`), kept with its literal. */
export const integer: Codec<Json> = new t.Type(
  'an integer',
  isJson,
  (value, context) =>
    kindOf(value) === 'number' && Number.isInteger(numberOf(value))
      ? t.success(value)
      : refuse(value, context, 'integer_type', 'must be an integer'),
  (value) => value,
)

/** A text of one character or more. */
export const nonEmptyString: Codec<string> = new t.Type(
  'a non-empty string',
  t.string.is,
  (value, context) => {
    const text = string.validate(value, context)
    return E.isRight(text) && text.right === ''
      ? refuse(value, context, 'empty', 'must not be empty')
      : text
  },
  (value) => value,
)

/** One text and no other. */
export const literal = <L extends string>(text: L): Codec<L> =>
  new t.Type(
    `"${text}"`,
    (value): value is L => value === text,
    (value, context) =>
      kindOf(value) === 'string' && stringOf(value) === text
        ? t.success(text)
        : refuse(value, context, 'value', `must be "${text}"`),
    (value) => value,
  )

/** JSON null as `null`, anything else by `codec`. */
export const nullable = <A>(codec: Codec<A>): Codec<A | null> =>
  new t.Type<A | null, Draft, Json>(
    `${codec.name} or null`,
    (value): value is A | null => value === null || codec.is(value),
    (value, context) =>
      kindOf(value) === 'null' ? t.success(null) : codec.validate(value, context),
    (value) => (value === null ? null : codec.encode(value)),
  )

/** Decodes one after the other until there are faults enough; faults keep that order. */
const each = <I, A>(
  list: ReadonlyArray<I>,
  context: t.Context,
  decodeOne: (one: I, index: number) => t.Validation<A>,
): t.Validation<ReadonlyArray<A>> => {
  const values: Array<A> = []
  const errors: t.Errors = []
  for (let i = 0; i < list.length && !enough(errors, context); i++) {
    const result = decodeOne(list[i] as I, i)
    if (E.isRight(result)) values.push(result.right)
    else for (const error of result.left) errors.push(error)
  }
  return errors.length > 0 ? E.left(errors) : t.success(values)
}

/** An array of like elements. */
export const array = <A>(item: Codec<A>): Codec<ReadonlyArray<A>> => {
  return new t.Type(
    'an array',
    (value): value is ReadonlyArray<A> => Array.isArray(value) && value.every(item.is),
    (value, context) =>
      kindOf(value) !== 'array'
        ? refuse(value, context, 'array_type', 'must be an array')
        : each(items(value), context, (element, index) =>
            item.validate(element, within(context, String(index), item, element)),
          ),
    (values) => values.map(item.encode),
  )
}

/** An array of one element or more. */
export const nonEmptyArray = <A>(item: Codec<A>): Codec<ReadonlyArray<A>> => {
  const list = array(item)
  return new t.Type(
    'a non-empty array',
    list.is,
    (value, context) => {
      const values = list.validate(value, context)
      return E.isRight(values) && values.right.length === 0
        ? refuse(value, context, 'empty', 'must not be empty')
        : values
    },
    list.encode,
  )
}

/** An object with names from outside, as pairs in document order. Faults come in code point order of the names. D14 */
export const record = <A>(item: Codec<A>): Codec<ReadonlyArray<readonly [string, A]>> => {
  const validate = (list: ReadonlyArray<Member>, context: t.Context) =>
    each(list, context, ({ key, value }) => {
      const decoded = item.validate(value, within(context, key, item, value))
      return E.isRight(decoded) ? t.success([key, decoded.right] as const) : decoded
    })
  return new t.Type(
    'an object',
    (value): value is ReadonlyArray<readonly [string, A]> =>
      Array.isArray(value) && value.every((pair) => Array.isArray(pair) && item.is(pair[1])),
    (value, context) => {
      if (kindOf(value) !== 'object')
        return refuse(value, context, 'object_type', 'must be an object')
      const list = members(value)
      const decoded = validate(list, context)
      if (E.isRight(decoded) || isQuick(context)) return decoded
      return validate(
        [...list].sort((a, b) => byCodePoint(a.key, b.key)),
        context,
      )
    },
    (pairs) => new Entries(pairs.map(([key, value]) => [key, item.encode(value)] as const)),
  )
}
