import * as E from 'fp-ts/Either'
import * as t from 'io-ts'

/** An io-ts codec of a part of a document that js-yaml parsed. It only decodes. It gets `undefined` for an absent part. */
export type YamlCodec<A> = t.Type<A, unknown, unknown>

const createCodec = <A>(name: string, validate: t.Validate<unknown, A>): YamlCodec<A> =>
  new t.Type(name, (value): value is A => E.isRight(validate(value, [])), validate, t.identity)

/** A value that `isValid` accepts. The codec refuses an absent value with "is required", and any other value with `message`. */
const scalar = <A>(isValid: t.Is<A>, message: string): YamlCodec<A> =>
  createCodec(message, (value, context) => {
    if (isValid(value)) return t.success(value)
    return t.failure(value, context, value === undefined ? 'is required' : message)
  })

/** A string that is not empty. Its message mentions quotes, because YAML reads an unquoted `1.0` as a number. */
export const text = scalar(
  (value): value is string => typeof value === 'string' && value !== '',
  'must be a string that is not empty (quote numbers and booleans)',
)

export const bool = scalar(t.boolean.is, 'must be true or false')

/** A whole number of at least `min`. */
export const integerFrom = (min: number): YamlCodec<number> =>
  scalar(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= min,
    `must be a whole number of at least ${min}`,
  )

/** A number from 0 to 1. */
export const fraction = scalar(
  (value): value is number => t.number.is(value) && value >= 0 && value <= 1,
  'must be between 0 and 1',
)

/** One of these words. */
export const keyword = <W extends string>(...words: ReadonlyArray<W>): YamlCodec<W> =>
  scalar(
    (value): value is W => words.some((word) => word === value),
    `must be one of ${words.join(', ')}`,
  )

/** Decodes with `codec`. An absent value becomes `fallback`. */
export const defaultTo = <A, const D>(codec: YamlCodec<A>, fallback: D): YamlCodec<A | D> =>
  createCodec<A | D>(codec.name, (value, context) =>
    value === undefined ? t.success(fallback) : codec.validate(value, context),
  )

/** Decodes with `codec`. An absent value becomes `undefined`. */
export const optional = <A>(codec: YamlCodec<A>): YamlCodec<A | undefined> =>
  defaultTo(codec, undefined)

/** Decodes with `codec`, then converts the result. */
export const convert = <A, B>(codec: YamlCodec<A>, toValue: (decoded: A) => B): YamlCodec<B> =>
  createCodec(codec.name, (value, context) => E.map(toValue)(codec.validate(value, context)))

/** Decodes with `codec`, then fails if `describeFault` returns a message about the result. */
export const check = <A>(
  codec: YamlCodec<A>,
  describeFault: (decoded: A) => string | undefined,
): YamlCodec<A> =>
  createCodec(codec.name, (value, context) => {
    const decoded = codec.validate(value, context)
    if (E.isLeft(decoded)) return decoded
    const fault = describeFault(decoded.right)
    return fault === undefined ? decoded : t.failure(value, context, fault)
  })

const nonEmptyList = check(scalar(t.UnknownArray.is, 'must be a list'), ({ length }) =>
  length === 0 ? 'must have at least one entry' : undefined,
)

/** A list with at least one entry. `nonEmptyList` checks the list before `items` decodes its entries. */
export const list = <A>(item: YamlCodec<A>): YamlCodec<ReadonlyArray<A>> => {
  const items = t.readonlyArray(item)
  return createCodec('a list', (value, context) => {
    const entries = nonEmptyList.validate(value, context)
    return E.isLeft(entries) ? entries : items.validate(value, context)
  })
}

const refuseKey = (key: string, value: unknown, context: t.Context): t.Validation<never> =>
  t.failure(value, t.appendContext(context, key, t.never), 'is not supported')

type MemberCodecs = Readonly<Record<string, t.Mixed>>
type DecodedMembers<M extends MemberCodecs> = { readonly [K in keyof M]: t.TypeOf<M[K]> }

/**
 * A mapping with only these keys, each with its codec. A key without a value (`null`) counts as absent, and an absent section as empty.
 */
export const section = <M extends MemberCodecs>(members: M): YamlCodec<DecodedMembers<M>> =>
  createCodec('a section', (value = {}, context) => {
    if (!t.UnknownRecord.is(value)) return t.failure(value, context, 'must be a mapping')
    const unknownMember = Object.entries(value).find(
      ([key, entry]) => entry !== null && !Object.hasOwn(members, key),
    )
    if (unknownMember !== undefined) return refuseKey(...unknownMember, context)
    const decoded: Record<string, unknown> = {}
    for (const [key, codec] of Object.entries(members)) {
      // `null`, a key without a value, becomes `undefined`.
      const entry = Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined
      const decodedMember = codec.validate(entry, t.appendContext(context, key, codec, entry))
      if (E.isLeft(decodedMember)) return decodedMember
      decoded[key] = decodedMember.right
    }
    return t.success(decoded as DecodedMembers<M>)
  })

/** A mapping with exactly one key, which names a kind: `batch: {…}`. `kinds` has the codec of the settings of each kind. */
export const oneKind = <M extends MemberCodecs>(kinds: M): YamlCodec<t.TypeOf<M[keyof M]>> =>
  createCodec('a kind', (value, context) => {
    if (value === undefined) return t.failure(value, context, 'is required')
    const [first, ...others] = t.UnknownRecord.is(value) ? Object.entries(value) : []
    if (first === undefined || others.length > 0) {
      const names = Object.keys(kinds).join(', ')
      return t.failure(value, context, `must name exactly one of ${names}`)
    }
    const [name, entry] = first
    const codec = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (codec === undefined) return refuseKey(name, entry, context)
    // `null`, a kind without settings, becomes `undefined`.
    const settings = entry ?? undefined
    return codec.validate(settings, t.appendContext(context, name, codec, settings))
  })

/** A kind without settings. It decodes to `result`. */
export const kindWithoutSettings = <A>(result: A): YamlCodec<A> =>
  convert(section({}), () => result)

/**
 * Pairs written as `key=value,key2=value2` and percent-encoded, like `headers_list` and `attributes_list`. An empty entry is skipped.
 * A malformed pair is a fault, although OpenTelemetry's own parser drops it without a message.
 */
export const pairList: YamlCodec<ReadonlyArray<readonly [string, string]>> = createCodec(
  'pairs',
  (value, context) => {
    const decoded = text.validate(value, context)
    if (E.isLeft(decoded)) return decoded
    const pairs: Array<readonly [string, string]> = []
    for (const [index, entry] of decoded.right.split(',').entries()) {
      if (entry.trim() === '') continue
      const pair = parsePair(entry)
      if (pair === undefined)
        return t.failure(value, context, `entry ${index + 1} must be key=value, percent-encoded`)
      pairs.push(pair)
    }
    return t.success(pairs)
  },
)

/** Returns `undefined` if the entry has no key or no `=`, or if its percent-encoding is invalid. */
const parsePair = (entry: string): readonly [string, string] | undefined => {
  const [key = '', ...valueParts] = entry.split('=')
  if (key.trim() === '' || valueParts.length === 0) return undefined
  try {
    return [decodeURIComponent(key.trim()), decodeURIComponent(valueParts.join('=').trim())]
  } catch {
    return undefined
  }
}

/** Describes the first error of a decode: its path in the document and its reason. Never repeats a value. */
export const describeFirstError = ([error]: t.Errors): string => {
  // A failed decode has at least one error. The first key of its context, for the whole document, is ''.
  const keys = error?.context.map(({ key }) => key).filter((key) => key !== '') ?? []
  const path = keys.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('')
  const message = error?.message ?? 'is invalid'
  return path === '' ? `the document ${message}` : `${path.replace(/^\./, '')}: ${message}`
}
