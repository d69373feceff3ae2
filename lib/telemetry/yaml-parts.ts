import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as t from 'io-ts'
import { nonEmpty } from '../codec/combinators'
import { dotted, type Fault, refuse } from '../codec/fault'
import { shape } from '../codec/object'
import { longestTimer } from '../runtime/duration'
import type { Redactor } from './redact'

/** An io-ts codec for a part of a document that was parsed from YAML. It only reads: nothing is written back. */
export type Part<A> = t.Type<A, unknown, unknown>

const part = <A>(name: string, validate: t.Validate<unknown, A>): Part<A> =>
  new t.Type(name, (value): value is A => E.isRight(validate(value, [])), validate, t.identity)

/** Fails with `message` at the place that `context` stands for. */
export const invalid = (value: unknown, context: t.Context, message: string): t.Validation<never> =>
  refuse(value, context, 'value', message)

/** A value that `is` recognises. */
const matching = <A>(is: t.Is<A>, message: string): Part<A> =>
  part(message, (value, context) =>
    is(value) ? t.success(value) : invalid(value, context, message),
  )

const isScalar = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean'

/** A text that is not empty. YAML takes an unquoted `1.0` or `yes` for something else; the message says what helps. */
export const text: Part<string> = part('text', (value, context) => {
  if (value === '') return invalid(value, context, 'must not be empty')
  return typeof value === 'string'
    ? t.success(value)
    : invalid(value, context, `must be a string${isScalar(value) ? ': quote it' : ''}`)
})

export const bool = matching(t.boolean.is, 'must be true or false')

export const number = matching(t.number.is, 'must be a number')

/** A whole number of at least `least`. */
export const integer = (least: number): Part<number> =>
  matching(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= least,
    `must be a whole number of at least ${least}`,
  )

/** One of a few words. */
export const word = <W extends string>(...words: ReadonlyArray<W>): Part<W> =>
  matching(
    (value): value is W => words.some((one) => one === value),
    `must be one of ${words.join(', ')}`,
  )

const entries = nonEmpty(
  matching(t.UnknownArray.is as t.Is<ReadonlyArray<unknown>>, 'must be a list'),
  'must have at least one entry',
)

/** A list with at least one entry. */
export const list = <A>(item: Part<A>): Part<ReadonlyArray<A>> =>
  entries.pipe(t.readonlyArray(item))

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  t.UnknownRecord.is(value)

/** Fails because svc has nothing by the name `key`. */
const unsupported = (key: string, value: unknown, context: t.Context): t.Validation<never> =>
  refuse(
    value,
    t.appendContext(context, key, t.unknown, value),
    'unknown_field',
    'is not supported',
  )

/**
 * A mapping with these keys and no other. A key without a value counts as left out, and so does a section
 * without a value: it reads as one without any keys.
 */
export const section = <R extends t.Props, O extends t.Props>(required: R, optional: O) => {
  const inside = shape(required, optional)
  const names = new Set([...Object.keys(required), ...Object.keys(optional)])
  return part('a section', (value = {}, context): t.Validation<t.TypeOf<typeof inside>> => {
    if (!isMapping(value)) return invalid(value, context, 'must be a mapping')
    const given = Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
    const other = given.find(([key]) => !names.has(key))
    return other === undefined
      ? inside.validate(Object.fromEntries(given), context)
      : unsupported(...other, context)
  })
}

/** A mapping with exactly one key, the name of a kind; what stands below it is read by the part of that name. */
export const kind = <K extends Readonly<Record<string, t.Mixed>>>(
  kinds: K,
): Part<t.TypeOf<K[keyof K]>> =>
  part('a kind', (value, context) => {
    const [[name, settings] = ['', null], ...more] = isMapping(value) ? Object.entries(value) : []
    if (name === '' || more.length > 0)
      return invalid(value, context, `must name exactly one of ${Object.keys(kinds).join(', ')}`)
    const found = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    const given = settings ?? undefined
    return found === undefined
      ? unsupported(name, settings, context)
      : found.validate(given, t.appendContext(context, name, found, given))
  })

/** What `whole` reads, checked or turned into something else. */
export const refine = <A, B>(whole: Part<A>, check: t.Validate<A, B>): Part<B> =>
  part(whole.name, (value, context) =>
    pipe(
      whole.validate(value, context),
      E.chain((read) => check(read, context)),
    ),
  )

/** What `whole` reads, turned into something else. */
export const map = <A, B>(whole: Part<A>, turn: (read: A) => B): Part<B> =>
  refine(whole, (read) => t.success(turn(read)))

/** A delay in milliseconds. */
export const delay = map(integer(0), (ms) => Math.min(ms, longestTimer))

/** The longest that something may take, in milliseconds; 0 is no limit. */
export const timeLimit = map(integer(0), (ms) => Math.min(ms || longestTimer, longestTimer))

/** A kind without settings. */
export const bare = <A>(result: A): Part<A> => map(section({}, {}), () => result)

/**
 * The text of a fault, without the values of variables. An unknown key is text of the document, into which a part of
 * a value may have got: parts are taken out of it too.
 */
export const faultText = ({ loc, type, message }: Fault, redact: Redactor): string => {
  const key = type === 'unknown_field' ? loc.at(-1) : undefined
  const shown = key === undefined ? loc : [...loc.slice(0, -1), redact.parts(String(key))]
  return redact.values(
    loc.length === 0 ? `the document ${message}` : `${dotted(shown)}: ${message}`,
  )
}
