import * as E from 'fp-ts/Either'
import type { Redactor } from './redact'

/** What is wrong in a document and where: `tracer_provider.processors[0].batch`. Never a value. */
export interface Fault {
  readonly path: string
  /** A key below `path` that the schema does not have: text of the user's. */
  readonly key?: string
  readonly cause: string
}

/** Turns a parsed YAML value into `A`. `undefined` and `null` mean that it is left out. */
export type Reader<A> = (value: unknown, path: string) => E.Either<Fault, A>

/** The type a reader gives. */
export type Read<R> = R extends Reader<infer A> ? A : never

/** A failed reading. */
export const fault = (path: string, cause: string): E.Either<Fault, never> =>
  E.left({ path, cause })

const unsupported = (path: string, key: string): E.Either<Fault, never> =>
  E.left({ path, key, cause: 'is not supported' })

/** The text of a fault, without the values of variables. */
export const faultText = ({ path, key, cause }: Fault, redact: Redactor): string => {
  const place = key === undefined ? path : at(path, redact.parts(key))
  return redact.values(place === '' ? cause : `${place}: ${cause}`)
}

/** Text, not empty once expanded. */
export const text: Reader<string> = (value, path) => {
  if (value === '') return fault(path, 'must not be empty')
  return typeof value === 'string'
    ? E.right(value)
    : fault(path, `must be a string${isScalar(value) ? ': quote it' : ''}`)
}

export const bool: Reader<boolean> = (value, path) =>
  typeof value === 'boolean' ? E.right(value) : fault(path, 'must be true or false')

/** A whole number of at least `least`. */
export const integer =
  (least: number): Reader<number> =>
  (value, path) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least
      ? E.right(value)
      : fault(path, `must be a whole number of at least ${least}`)

export const number: Reader<number> = (value, path) =>
  typeof value === 'number' ? E.right(value) : fault(path, 'must be a number')

/** One of a few words. */
export const word =
  <W extends string>(...words: ReadonlyArray<W>): Reader<W> =>
  (value, path) => {
    const found = words.find((w) => w === value)
    return found === undefined ? fault(path, `must be one of ${words.join(', ')}`) : E.right(found)
  }

/** `reader`, or `otherwise` where nothing is given. */
export const or =
  <A, B>(reader: Reader<A>, otherwise: B): Reader<A | B> =>
  (value, path) =>
    value === undefined || value === null ? E.right(otherwise) : reader(value, path)

/** `reader`, where something must be given. */
export const required =
  <A>(reader: Reader<A>): Reader<A> =>
  (value, path) =>
    value === undefined || value === null ? fault(path, 'is required') : reader(value, path)

/** A list with at least one entry. */
export const list =
  <A>(reader: Reader<A>): Reader<ReadonlyArray<A>> =>
  (value, path) => {
    if (!Array.isArray(value)) return fault(path, 'must be a list')
    if (value.length === 0) return fault(path, 'must have at least one entry')
    const read: A[] = []
    for (const [index, item] of value.entries()) {
      const result = reader(item, `${path}[${index}]`)
      if (E.isLeft(result)) return result
      read.push(result.right)
    }
    return E.right(read)
  }

/** A mapping with these keys and no other; a key that is left out reads as `undefined`. */
export const section =
  <F extends { readonly [key: string]: Reader<unknown> }>(
    fields: F,
  ): Reader<{ readonly [K in keyof F]: Read<F[K]> }> =>
  (value, path) => {
    const mapping = value ?? {}
    if (!isMapping(mapping)) return fault(path, 'must be a mapping')
    const unknown = Object.keys(mapping).find((key) => !Object.hasOwn(fields, key))
    if (unknown !== undefined) return unsupported(path, unknown)
    const read: Record<string, unknown> = {}
    for (const [key, reader] of Object.entries(fields)) {
      const result = reader(mapping[key], at(path, key))
      if (E.isLeft(result)) return result
      read[key] = result.right
    }
    return E.right(read as { readonly [K in keyof F]: Read<F[K]> })
  }

/** A mapping with exactly one of these keys, as the schema names a kind. */
export const kind =
  <F extends { readonly [key: string]: Reader<unknown> }>(kinds: F): Reader<Read<F[keyof F]>> =>
  (value, path) => {
    const [key, ...more] = isMapping(value) ? Object.keys(value) : []
    if (!isMapping(value) || key === undefined || more.length > 0) {
      return fault(path, `must name exactly one of ${Object.keys(kinds).join(', ')}`)
    }
    const reader = Object.hasOwn(kinds, key) ? kinds[key] : undefined
    return reader === undefined
      ? unsupported(path, key)
      : (reader(value[key], at(path, key)) as E.Either<Fault, Read<F[keyof F]>>)
  }

/** A reader whose result is looked at, or turned into something else, once more. */
export const refine =
  <A, B>(reader: Reader<A>, check: (read: A, path: string) => E.Either<Fault, B>): Reader<B> =>
  (value, path) => {
    const result = reader(value, path)
    return E.isLeft(result) ? result : check(result.right, path)
  }

/** A kind without settings. */
export const nothing = <A>(result: A): Reader<A> => refine(section({}), () => E.right(result))

/** Accepts only what asks for nothing: no value, or sections of such. */
export const unused =
  (cause: string): Reader<undefined> =>
  (value, path) =>
    asksForNothing(value) ? E.right(undefined) : fault(path, cause)

const asksForNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (isMapping(value) && Object.values(value).every(asksForNothing))

/** Whether a parsed value is a mapping. */
export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isScalar = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean'

const at = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
