import type { Failure } from '../failure/failure'
import { redacted, type Secret } from '../runtime/secret'

/** Replaces a key in text that came from outside, in every form JSON can spell it. D3 */
export type Redact = (text: string) => string

/** Shorter keys are found in ordinary words: redacting those would garble text and hide nothing. */
const shortestRedacted = 4

/** A redactor for one key of four characters or more; a shorter one leaves text as it is. */
export const createRedact = (secret: Secret): Redact => {
  const key = secret.reveal()
  if (key.length < shortestRedacted) return (text) => text
  let spellings: RegExp | undefined
  return (text) => {
    if (text === '') return text
    spellings ??= new RegExp([...key].map(spelling).join(''), 'g')
    return text.replace(spellings, redacted)
  }
}

/** One character as it is, behind a backslash, or as `\uXXXX`. */
const spelling = (character: string): string => {
  const hex = character.charCodeAt(0).toString(16).padStart(4, '0')
  const anyCase = [...hex].map((c) => (/[a-f]/.test(c) ? `[${c}${c.toUpperCase()}]` : c)).join('')
  const plain = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
  const escaped = /["\\/]/.test(character) ? `\\\\?${plain}` : plain
  return `(?:\\\\u${anyCase}|${escaped})`
}

/** The failure with the key gone from every text that a server or the network could have put there. */
export const redactFailure = (failure: Failure, redact: Redact): Failure => {
  switch (failure._tag) {
    case 'ApiError':
      return {
        ...failure,
        message: redact(failure.message),
        requestId: redact(failure.requestId),
      }
    case 'Connection':
      return {
        ...failure,
        cause: redact(failure.cause),
        host: redact(failure.host),
        ...(failure.proxy === undefined ? {} : { proxy: redact(failure.proxy) }),
      }
    case 'InvalidResponse':
      return { ...failure, path: redact(failure.path), cause: redact(failure.cause) }
    case 'Internal':
      return { ...failure, message: redact(failure.message) }
    case 'Interrupted':
    case 'Usage':
    case 'Framework':
    case 'Validation':
      return failure
  }
}
