import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as t from 'io-ts'
import { nonEmpty } from '../codec/combinators'
import { type Fault, formatLoc, rejectValue } from '../codec/fault'
import { createMembersDecoder, type Members, type Shaped } from '../codec/object'
import { longestTimer } from '../failure/text/duration'
import type { Redactor } from './redact'

/** An io-ts codec for a part of a document that was parsed from YAML. It only decodes. */
export type Part<A> = t.Type<A, unknown, unknown>

const part = <A>(name: string, validate: t.Validate<unknown, A>): Part<A> =>
  new t.Type(name, (value): value is A => E.isRight(validate(value, [])), validate, t.identity)

/** Fails with `message` at the place that `context` describes. */
export const rejectPart = (
  value: unknown,
  context: t.Context,
  message: string,
): t.Validation<never> => rejectValue(value, context, 'value', message)

/** Reads a value that `is` accepts, and fails with `message` on any other. */
const matching = <A>(is: t.Is<A>, message: string): Part<A> =>
  part(message, (value, context) =>
    is(value) ? t.success(value) : rejectPart(value, context, message),
  )

const isScalar = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean'

/**
 * Reads a string that is not empty. YAML takes an unquoted `1.0` or `yes` for another type; the message then
 * says to quote it.
 */
export const text: Part<string> = part('text', (value, context) => {
  if (value === '') return rejectPart(value, context, 'must not be empty')
  return typeof value === 'string'
    ? t.success(value)
    : rejectPart(value, context, `must be a string${isScalar(value) ? ': quote it' : ''}`)
})

/** Reads `true` or `false`. */
export const bool = matching(t.boolean.is, 'must be true or false')

/** Reads a number. */
export const number = matching(t.number.is, 'must be a number')

/** Reads a whole number of at least `least`. */
export const integer = (least: number): Part<number> =>
  matching(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= least,
    `must be a whole number of at least ${least}`,
  )

/** Reads one of the given words. */
export const word = <W extends string>(...words: ReadonlyArray<W>): Part<W> =>
  matching(
    (value): value is W => words.some((one) => one === value),
    `must be one of ${words.join(', ')}`,
  )

const entries = nonEmpty(
  matching(t.UnknownArray.is as t.Is<ReadonlyArray<unknown>>, 'must be a list'),
  'must have at least one entry',
)

/** Reads a list with at least one entry. */
export const list = <A>(item: Part<A>): Part<ReadonlyArray<A>> =>
  part('a list', (value, context) =>
    pipe(
      entries.validate(value, context),
      E.chain((read) => t.readonlyArray(item).validate(read, context)),
    ),
  )

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  t.UnknownRecord.is(value)

/** Fails because svc does not know `key`. */
const rejectKey = (key: string, value: unknown, context: t.Context): t.Validation<never> =>
  rejectValue(
    value,
    t.appendContext(context, key, t.unknown, value),
    'unknown_field',
    'is not supported',
  )

/**
 * Reads a mapping with these keys and no others. A key without a value counts as absent, and a section without
 * a value as one without keys.
 */
export const section = <R extends Members, O extends Members>(required: R, optional: O) => {
  const decodeInside = createMembersDecoder(required, optional)
  const names = new Set([...Object.keys(required), ...Object.keys(optional)])
  return part('a section', (value = {}, context): t.Validation<Shaped<R, O>> => {
    if (!isMapping(value)) return rejectPart(value, context, 'must be a mapping')
    const given = Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
    const other = given.find(([key]) => !names.has(key))
    if (other !== undefined) return rejectKey(...other, context)
    const values = new Map(given)
    return decodeInside(
      Array.from(names, (name) => values.get(name)),
      context,
    )
  })
}

/**
 * Reads a mapping with exactly one key, which names a kind. `kinds` has the codec for the settings below each
 * name.
 */
export const kind = <K extends Readonly<Record<string, t.Mixed>>>(
  kinds: K,
): Part<t.TypeOf<K[keyof K]>> =>
  part('a kind', (value, context) => {
    const [[name, settings] = ['', null], ...more] = isMapping(value) ? Object.entries(value) : []
    if (name === '' || more.length > 0)
      return rejectPart(value, context, `must name exactly one of ${Object.keys(kinds).join(', ')}`)
    const found = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    const given = settings ?? undefined
    return found === undefined
      ? rejectKey(name, settings, context)
      : found.validate(given, t.appendContext(context, name, found, given))
  })

/** Reads with `whole`, then checks or converts the result. */
export const refine = <A, B>(whole: Part<A>, check: t.Validate<A, B>): Part<B> =>
  part(whole.name, (value, context) =>
    pipe(
      whole.validate(value, context),
      E.chain((read) => check(read, context)),
    ),
  )

/** Reads with `whole`, then fails where `faultOf` says what is wrong with the result. */
export const check = <A>(whole: Part<A>, faultOf: (read: A) => string | undefined): Part<A> =>
  refine(whole, (read, context) => {
    const fault = faultOf(read)
    return fault === undefined ? t.success(read) : rejectPart(read, context, fault)
  })

/** Reads with `whole`, then converts the result. */
export const map = <A, B>(whole: Part<A>, turn: (read: A) => B): Part<B> =>
  refine(whole, (read) => t.success(turn(read)))

/** Reads a delay in milliseconds. Longer ones than a Node timer allows are shortened to its longest. */
export const delay = map(integer(0), (ms) => Math.min(ms, longestTimer))

/** Reads a time limit in milliseconds. 0, which means no limit, becomes the longest delay of a Node timer. */
export const timeLimit = map(integer(0), (ms) => Math.min(ms || longestTimer, longestTimer))

/** Reads a kind that has no settings, and returns `result` for it. */
export const bare = <A>(result: A): Part<A> => map(section({}, {}), () => result)

/**
 * Describes a fault, with the values of variables redacted. An unknown key is text of the document and may
 * contain a part of a value, so parts are redacted in it too.
 */
export const describeFault = ({ loc, type, message }: Fault, redact: Redactor): string => {
  const key = type === 'unknown_field' ? loc.at(-1) : undefined
  const shown = key === undefined ? loc : [...loc.slice(0, -1), redact.parts(String(key))]
  return redact.values(
    loc.length === 0 ? `the document ${message}` : `${formatLoc(shown)}: ${message}`,
  )
}

type Pairs = ReadonlyArray<readonly [key: string, value: string]>

/**
 * Reads `key=value,key2=value2` into percent-decoded pairs, the form of `headers_list` and `attributes_list` in
 * the schema. A malformed entry is a fault, while OpenTelemetry's own parser silently drops it.
 */
export const keyValueList: Part<Pairs> = refine(text, (list, context): t.Validation<Pairs> => {
  const read: Array<readonly [string, string]> = []
  for (const [index, entry] of list.split(',').entries()) {
    if (entry.trim() === '') continue
    const [key = '', ...rest] = entry.split('=')
    const name = decodeText(key)
    const value = decodeText(rest.join('='))
    if (rest.length === 0 || !name || value === undefined)
      return rejectPart(list, context, `entry ${index + 1} must be key=value, percent-encoded`)
    read.push([name, value])
  }
  return t.success(read)
})

const decodeText = (text: string): string | undefined =>
  E.toUnion(
    E.tryCatch(
      () => decodeURIComponent(text.trim()),
      () => undefined,
    ),
  )
