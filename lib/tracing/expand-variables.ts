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

/** Matches a reference. Its groups are the name and the default. */
const validReference = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?\}$/s

/** Error messages cut longer invalid references. */
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
  let out = ''
  let at = 0
  for (;;) {
    const dollar = text.indexOf('$', at)
    if (dollar < 0) return E.right({ text: out + text.slice(at), values: [...values] })
    out += text.slice(at, dollar)
    const reference = referenceAt(text, dollar)
    if (reference === undefined) {
      // `$$` is one dollar sign.
      at = text.startsWith('$$', dollar) ? dollar + 2 : dollar + 1
      out += '$'
      continue
    }
    const resolved = resolveReference(reference, env)
    if (resolved === undefined) return E.left(describeInvalid(text, dollar, reference))
    if (resolved.value !== '') values.add(resolved.value)
    out += resolved.value || resolved.fallback
    at = dollar + reference.length
  }
}

/** Returns the reference that begins at `dollar`, with its braces; `undefined` if there is none. */
const referenceAt = (text: string, dollar: number): string | undefined => {
  if (text[dollar + 1] !== '{') return undefined
  const end = text.indexOf('}', dollar)
  const reference = text.slice(dollar, end + 1)
  return end < 0 || reference.includes('$${') ? undefined : reference
}

/** Looks up the variable of a reference. `undefined` if the reference is invalid. */
const resolveReference = (reference: string, env: Env) => {
  const [, name, fallback = ''] = validReference.exec(reference) ?? []
  if (name === undefined) return undefined
  return { value: env[name] ?? '', fallback: fallback.replaceAll('$$', () => '$') }
}

const describeInvalid = (text: string, dollar: number, reference: string): string => {
  const line = text.slice(0, dollar).split('\n').length
  return `line ${line}: invalid reference ${cutTo(reference, maxShownBytes)}`
}
