import * as E from 'fp-ts/Either'
import { cutTo } from '../text/cut'

/** Variables by name; an absent one is unset. */
export type Env = Readonly<Record<string, string | undefined>>

/** A text whose references were replaced, and the values of variables that went into it. */
export interface Expanded {
  readonly text: string
  /** Values taken from the environment (never defaults), each once. */
  readonly values: ReadonlyArray<string>
}

/** What stands between the braces of a reference. */
const reference = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

/** Most bytes of an invalid reference that its message repeats. */
const mostShown = 100

/**
 * Puts the values of environment variables into a configuration text. `${VAR}` and `${env:VAR}` become the value,
 * or nothing where the variable is unset; `${VAR:-default}` becomes the default where it is unset or empty. `$$`
 * stands for one dollar sign, in defaults too. A value that looks like a reference itself is left as it is. Any other
 * `${…}` is an error that names its line. As in OpenTelemetry's data model, a default cannot hold an escaped
 * reference. spec: Tracing, D34
 */
export const expand = (text: string, env: Env): E.Either<string, Expanded> => {
  const values = new Set<string>()
  const brace = finder(text, '}')
  const escapedReference = finder(text, '$${')
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
      const shown = cutTo(text.slice(dollar, end + 1), mostShown)
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
 * Makes a function that gives the next place of `wanted` from some place on, -1 where there is none. It remembers what
 * it found: asked from left to right it reads the text only once, however often it is asked.
 */
const finder = (text: string, wanted: string): ((from: number) => number) => {
  let found = text.indexOf(wanted)
  return (from) => {
    if (found >= 0 && found < from) found = text.indexOf(wanted, from)
    return found
  }
}
