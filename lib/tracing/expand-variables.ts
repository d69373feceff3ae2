import * as E from 'fp-ts/Either'
import { cutTo } from '../failure/text/cut'

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>

/** A text with its references replaced, and the values that were inserted. */
interface Expanded {
  readonly text: string
  /** Values taken from the environment (never defaults), each once. */
  readonly values: ReadonlyArray<string>
}

/** Matches the text between the braces of a reference. */
const reference = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

/** An error message repeats at most this much of an invalid reference. */
const maxShownBytes = 100

/**
 * Replaces references to environment variables in a configuration text. `${VAR}` and `${env:VAR}` become the
 * value, or nothing if the variable is unset. `${VAR:-default}` becomes the default if it is unset or
 * empty. `$$` becomes one dollar sign, also in defaults. A value that itself looks like a reference is not
 * expanded again. Any other `${…}` fails with an error that names its line. As in OpenTelemetry's data model, a
 * default cannot hold an escaped reference.
 */
export const expandVariables = (text: string, env: Env): E.Either<string, Expanded> => {
  const values = new Set<string>()
  const brace = createFinder(text, '}')
  const escapedReference = createFinder(text, '$${')
  /** Finds the brace that ends a reference; -1 if there is none, or if an escaped reference begins before it. */
  const findEnd = (dollar: number): number => {
    if (text[dollar + 1] !== '{') return -1
    const end = brace(dollar)
    return isBetween(dollar, escapedReference(dollar), end) ? -1 : end
  }
  let out = ''
  let at = 0
  for (;;) {
    const dollar = text.indexOf('$', at)
    if (dollar < 0) return E.right({ text: out + text.slice(at), values: [...values] })
    out += text.slice(at, dollar)
    const end = findEnd(dollar)
    if (end < 0) {
      // `$$` is one dollar sign.
      at = text.startsWith('$$', dollar) ? dollar + 2 : dollar + 1
      out += '$'
      continue
    }
    const found = resolveReference(text.slice(dollar + 2, end), env)
    if (found === undefined) return E.left(describeInvalid(text, dollar, end))
    if (found.value !== '') values.add(found.value)
    out += found.value || found.fallback
    at = end + 1
  }
}

/** Looks up the variable of a reference, given the text between its braces. `undefined` if that is invalid. */
const resolveReference = (inner: string, env: Env) => {
  const [, name, fallback = ''] = reference.exec(inner) ?? []
  if (name === undefined) return undefined
  return { value: env[name] ?? '', fallback: fallback.replaceAll('$$', () => '$') }
}

const describeInvalid = (text: string, dollar: number, end: number): string => {
  const line = text.slice(0, dollar).split('\n').length
  return `line ${line}: invalid reference ${cutTo(text.slice(dollar, end + 1), maxShownBytes)}`
}

const isBetween = (from: number, at: number, end: number): boolean => at > from && at < end

/**
 * Returns a function that finds the next occurrence of `wanted` at or after a place; -1 if there is none. It
 * remembers the last result, so ascending places read the text only once in total.
 */
const createFinder = (text: string, wanted: string): ((from: number) => number) => {
  let found = text.indexOf(wanted)
  return (from) => {
    if (found >= 0 && found < from) found = text.indexOf(wanted, from)
    return found
  }
}
