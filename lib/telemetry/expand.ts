import * as E from 'fp-ts/Either'

/** Variables by name; an absent one is unset. */
export type Env = Readonly<Record<string, string | undefined>>

/** A text whose references were replaced, and the values of variables that went into it. */
export interface Expanded {
  readonly text: string
  /** Values taken from the environment (never defaults), each once. */
  readonly values: ReadonlyArray<string>
}

const reference = /\$\{(?:(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?|([^}]*))\}/g

/**
 * Replaces the references of a configuration text, once and from left to right:
 * `${VAR}`, `${env:VAR}`, `${VAR:-default}` (also where VAR is empty) and `$$` for a
 * dollar sign; an unset variable is empty. The values are not looked at again. Any
 * other `${…}` is an error that names its line. spec: Tracing, D34
 */
export const expand = (text: string, env: Env): E.Either<string, Expanded> => {
  const values = new Set<string>()
  let invalid: string | undefined
  let line = 1
  const parts = text.split('$$').map((part) => {
    const replaced = part.replace(
      reference,
      (whole, name: string | undefined, fallback: string | undefined, _bad, offset: number) => {
        if (name === undefined) {
          invalid ??= `line ${line + breaks(part.slice(0, offset))}: invalid reference ${whole}`
          return ''
        }
        const value = env[name] ?? ''
        if (value === '') return fallback ?? ''
        values.add(value)
        return value
      },
    )
    line += breaks(part)
    return replaced
  })
  return invalid === undefined
    ? E.right({ text: parts.join('$'), values: [...values] })
    : E.left(invalid)
}

const breaks = (text: string): number => text.split('\n').length - 1
