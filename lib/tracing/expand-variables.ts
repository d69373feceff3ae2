import * as E from 'fp-ts/Either'
import { cutWithEllipsis } from '../text/sanitize'

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>

/** A text with its references replaced, and the values that were inserted. */
interface ExpandedText {
  readonly text: string
  /** The values of variables, each once. Does not include defaults. */
  readonly values: ReadonlyArray<string>
}

/** Matches the text between the braces of a reference: `VAR`, `env:VAR` or `VAR:-default`. */
const referencePattern = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

/** The maximum size of an invalid reference in a message. */
const maxShownBytes = 100

/**
 * Replaces references to environment variables in a configuration text. `${VAR}` and `${env:VAR}` become the value, or nothing if the
 * variable is unset. `${VAR:-default}` becomes the default if the variable is unset or empty. `$$` becomes one dollar sign, also in
 * defaults. Values are not expanded again. Fails if there is any other `${…}`, with a message that names its line.
 *
 * As in OpenTelemetry's data model, a default cannot contain an escaped reference (`$${`). So in `${A:-$${B}}` the first `${` does not
 * begin a reference, and stays unchanged.
 */
export const expandVariables = (text: string, env: Env): E.Either<string, ExpandedText> => {
  const values = new Set<string>()
  const findBrace = createFinder(text, '}')
  const findEscapedReference = createFinder(text, '$${')
  /** Returns the offset of the brace that ends the reference at `dollarOffset`, or -1 if there is no reference. */
  const findReferenceEnd = (dollarOffset: number): number => {
    if (text[dollarOffset + 1] !== '{') return -1
    const braceOffset = findBrace(dollarOffset)
    const escapedOffset = findEscapedReference(dollarOffset)
    // An escaped reference before the brace is not allowed.
    return escapedOffset > dollarOffset && escapedOffset < braceOffset ? -1 : braceOffset
  }
  let expanded = ''
  let offset = 0
  for (;;) {
    const dollarOffset = text.indexOf('$', offset)
    if (dollarOffset < 0)
      return E.right({ text: expanded + text.slice(offset), values: [...values] })
    expanded += text.slice(offset, dollarOffset)
    const endOffset = findReferenceEnd(dollarOffset)
    if (endOffset < 0) {
      // A dollar sign without a reference stays. `$$` becomes one.
      expanded += '$'
      offset = text.startsWith('$$', dollarOffset) ? dollarOffset + 2 : dollarOffset + 1
      continue
    }
    const resolved = resolveReference(text.slice(dollarOffset + 2, endOffset), env)
    if (resolved === undefined)
      return E.left(describeInvalidReference(text, dollarOffset, endOffset))
    if (resolved.value !== '') values.add(resolved.value)
    expanded += resolved.value || resolved.fallback
    offset = endOffset + 1
  }
}

/** Looks up the variable of a reference. `inner` is the text between the braces. Returns `undefined` if `inner` is invalid. */
const resolveReference = (inner: string, env: Env) => {
  const [, name, fallback = ''] = referencePattern.exec(inner) ?? []
  if (name === undefined) return undefined
  // The replacement is a function, because `$$` has a special meaning in a replacement text.
  return { value: env[name] ?? '', fallback: fallback.replaceAll('$$', () => '$') }
}

const describeInvalidReference = (
  text: string,
  dollarOffset: number,
  endOffset: number,
): string => {
  const line = text.slice(0, dollarOffset).split('\n').length
  const reference = text.slice(dollarOffset, endOffset + 1)
  return `line ${line}: invalid reference ${cutWithEllipsis(reference, maxShownBytes)}`
}

/**
 * Returns a function that finds the next occurrence of `wanted` from an offset on, or -1. The offsets of its calls must not fall. It
 * remembers its last result, so all calls together read the text only once.
 */
const createFinder = (text: string, wanted: string): ((offset: number) => number) => {
  let next = text.indexOf(wanted)
  return (offset) => {
    if (next >= 0 && next < offset) next = text.indexOf(wanted, offset)
    return next
  }
}
