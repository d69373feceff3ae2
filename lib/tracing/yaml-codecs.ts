import * as E from 'fp-ts/Either'
import * as t from 'io-ts'

/** An io-ts codec for a part of a document that js-yaml parsed. It only decodes. `undefined` means absent. */
export type YamlCodec<A> = t.Type<A, unknown, unknown>

export const yamlCodec = <A>(name: string, validate: t.Validate<unknown, A>): YamlCodec<A> =>
  new t.Type(name, (value): value is A => E.isRight(validate(value, [])), validate, t.identity)

/** Accepts a value that `is` accepts. An absent one is a fault. */
const leaf = <A>(is: t.Is<A>, message: string): YamlCodec<A> =>
  yamlCodec(message, (value, context) => {
    if (is(value)) return t.success(value)
    return t.failure(value, context, value === undefined ? 'is required' : message)
  })

/** A string that is not empty. YAML reads an unquoted `1.0` as a number and `yes` as a boolean. */
export const text = leaf(
  (value): value is string => typeof value === 'string' && value !== '',
  'must be a string that is not empty (quote numbers and booleans)',
)

/** `true` or `false`. */
export const bool = leaf(t.boolean.is, 'must be true or false')

/** A whole number of at least `min`. */
export const integerFrom = (min: number): YamlCodec<number> =>
  leaf(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= min,
    `must be a whole number of at least ${min}`,
  )

/** A number between 0 and 1. */
export const fraction = leaf(
  (value): value is number => t.number.is(value) && value >= 0 && value <= 1,
  'must be between 0 and 1',
)

/** One of the given words. */
export const word = <W extends string>(...words: ReadonlyArray<W>): YamlCodec<W> =>
  leaf(
    (value): value is W => words.some((one) => one === value),
    `must be one of ${words.join(', ')}`,
  )

/** Decodes with `codec` unless the value is absent, which gives `fallback`. */
export const defaultTo = <A, const D>(codec: YamlCodec<A>, fallback: D): YamlCodec<A | D> =>
  yamlCodec<A | D>(codec.name, (value, context) =>
    value === undefined ? t.success(fallback) : codec.validate(value, context),
  )

export const optional = <A>(codec: YamlCodec<A>): YamlCodec<A | undefined> =>
  defaultTo(codec, undefined)

/** Decodes with `codec`, then converts the result. */
export const mapped = <A, B>(codec: YamlCodec<A>, convert: (decoded: A) => B): YamlCodec<B> =>
  yamlCodec(codec.name, (value, context) => E.map(convert)(codec.validate(value, context)))

/** Decodes with `codec`, then fails with the fault that `findFault` returns for the result, if any. */
export const checked = <A>(
  codec: YamlCodec<A>,
  findFault: (decoded: A) => string | undefined,
): YamlCodec<A> =>
  yamlCodec(codec.name, (value, context) => {
    const decoded = codec.validate(value, context)
    if (E.isLeft(decoded)) return decoded
    const fault = findFault(decoded.right)
    return fault === undefined ? decoded : t.failure(value, context, fault)
  })

/** A list with at least one entry. */
export const list = <A>(item: YamlCodec<A>): YamlCodec<ReadonlyArray<A>> => {
  const entries = checked(leaf(t.UnknownArray.is, 'must be a list'), ({ length }) =>
    length === 0 ? 'must have at least one entry' : undefined,
  )
  const items = t.readonlyArray(item)
  return yamlCodec('a list', (value, context) => {
    const decoded = entries.validate(value, context)
    return E.isLeft(decoded) ? decoded : items.validate(value, context)
  })
}

const refuseKey = (key: string, value: unknown, context: t.Context): t.Validation<never> =>
  t.failure(value, t.appendContext(context, key, t.never), 'is not supported')

type Members = Readonly<Record<string, t.Mixed>>
type Decoded<M extends Members> = { readonly [K in keyof M]: t.TypeOf<M[K]> }

/** A mapping with only these keys. A key without a value counts as absent, and a section without a value as empty. */
export const section = <M extends Members>(members: M): YamlCodec<Decoded<M>> =>
  yamlCodec('a section', (value = {}, context) => {
    if (!t.UnknownRecord.is(value)) return t.failure(value, context, 'must be a mapping')
    const given = new Map(Object.entries(value).filter(([, one]) => one !== null))
    for (const [key, one] of given)
      if (!Object.hasOwn(members, key)) return refuseKey(key, one, context)
    const decoded: Record<string, unknown> = {}
    for (const [key, codec] of Object.entries(members)) {
      const one = given.get(key)
      const member = codec.validate(one, t.appendContext(context, key, codec, one))
      if (E.isLeft(member)) return member
      decoded[key] = member.right
    }
    return t.success(decoded as Decoded<M>)
  })

/** A mapping with exactly one key, which names a kind. `kinds` has the codec for the settings of each. */
export const kind = <M extends Members>(kinds: M): YamlCodec<t.TypeOf<M[keyof M]>> =>
  yamlCodec('a kind', (value, context) => {
    if (value === undefined) return t.failure(value, context, 'is required')
    const [[name, settings] = ['', null], ...more] = t.UnknownRecord.is(value)
      ? Object.entries(value)
      : []
    if (name === '' || more.length > 0) {
      const names = Object.keys(kinds).join(', ')
      return t.failure(value, context, `must name exactly one of ${names}`)
    }
    const codec = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (codec === undefined) return refuseKey(name, settings, context)
    const given = settings ?? undefined
    return codec.validate(given, t.appendContext(context, name, codec, given))
  })

/** A kind that has no settings. It decodes to `result`. */
export const bare = <A>(result: A): YamlCodec<A> => mapped(section({}), () => result)

/**
 * Pairs written as `key=value,key2=value2` and percent-encoded, like `headers_list` and `attributes_list`. A malformed
 * entry is a fault, while OpenTelemetry's own parser silently drops it.
 */
export const pairList: YamlCodec<ReadonlyArray<readonly [string, string]>> = yamlCodec(
  'pairs',
  (value, context) => {
    const decoded = text.validate(value, context)
    if (E.isLeft(decoded)) return decoded
    const pairs: Array<readonly [string, string]> = []
    for (const [index, entry] of decoded.right.split(',').entries()) {
      if (entry.trim() === '') continue
      const [, key, one] = /^\s*([^=\s][^=]*?)\s*=\s*(.*?)\s*$/s.exec(entry) ?? []
      try {
        if (key === undefined || one === undefined) throw new URIError()
        pairs.push([decodeURIComponent(key), decodeURIComponent(one)])
      } catch {
        const message = `entry ${index + 1} must be key=value, percent-encoded`
        return t.failure(value, context, message)
      }
    }
    return t.success(pairs)
  },
)

/** Describes the first error of a decoding: its place and its reason. Never repeats a value. */
export const describeErrors = ([error]: t.Errors): string => {
  const keys = error?.context.map(({ key }) => key).filter((key) => key !== '') ?? []
  const path = keys.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('')
  const message = error?.message ?? 'is invalid'
  return path === '' ? `the document ${message}` : `${path.replace(/^\./, '')}: ${message}`
}
