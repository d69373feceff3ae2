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

/** The most bytes of an invalid reference that the error message repeats. */
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
  let out = ''
  let at = 0
  for (;;) {
    const dollar = text.indexOf('$', at)
    if (dollar < 0) return E.right({ text: out + text.slice(at), values: [...values] })
    out += text.slice(at, dollar)
    const end = text[dollar + 1] === '{' ? brace(dollar) : -1
    if (end < 0 || isBetween(dollar, escapedReference(dollar), end)) {
      at = dollar + (text[dollar + 1] === '$' ? 2 : 1)
      out += '$'
      continue
    }
    const [, name, fallback = ''] = reference.exec(text.slice(dollar + 2, end)) ?? []
    if (name === undefined) {
      const line = text.slice(0, dollar).split('\n').length
      const shown = cutTo(text.slice(dollar, end + 1), maxShownBytes)
      return E.left(`line ${line}: invalid reference ${shown}`)
    }
    const value = env[name] ?? ''
    if (value !== '') values.add(value)
    out += value === '' ? fallback.replaceAll('$$', () => '$') : value
    at = end + 1
  }
}

const isBetween = (from: number, at: number, end: number): boolean => at > from && at < end

/**
 * Returns a function that finds the next occurrence of `wanted` from a place on; -1 if there is none. It
 * remembers the last result: with ascending places it reads the text only once, however often it is called.
 */
const createFinder = (text: string, wanted: string): ((from: number) => number) => {
  let found = text.indexOf(wanted)
  return (from) => {
    if (found >= 0 && found < from) found = text.indexOf(wanted, from)
    return found
  }
}
