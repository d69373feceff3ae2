import type { CallToolResult } from '@modelcontextprotocol/server'
import * as E from 'fp-ts/Either'
import { type Draft, printEscaped, redactDraft } from '../codec/json/draft'
import { type Failure, mapFailureTexts, validation } from '../failure/failure'
import { classify, formatEnvelope, isOutOfCredit, type Kind } from '../failure/report'
import { redactAndCut } from '../text/sanitize'
import type { Redact } from '../text/secret'

/** The members of a result's document. `undefined` ones are omitted. */
export type ResultMembers = Readonly<Record<string, Draft | undefined>>

/** Agents get JSON without line breaks, which takes fewer tokens. */
const isPretty = false

/** The maximum size of a result's document: about as much as an agent can handle. */
export const maxResultBytes = 80 << 10

/**
 * Creates a tool result from a document: as text and, for hosts that support it, as structured content. It redacts secrets in
 * answers too, since an agent must not learn the key. Fails if the document is too large.
 */
export const createResult = (
  document: ResultMembers,
  redact: Redact,
): E.Either<Failure, CallToolResult> => {
  const text = printEscaped(redactDraft(document, redact), isPretty).toString()
  const bytes = Buffer.byteLength(text)
  if (bytes > maxResultBytes) {
    const cause = `${describeTooLargeResult(bytes, maxResultBytes)}; ask fewer questions`
    return E.left(validation('questions', cause))
  }
  return E.right({ content: [{ type: 'text', text }], structuredContent: JSON.parse(text) })
}

/**
 * Describes a result that is too large. svc never cuts a result, because an agent could mistake the part for the complete
 * result.
 */
export const describeTooLargeResult = (bytes: number, maxBytes: number): string =>
  `the result takes ${Math.ceil(bytes / 1024)} KiB, more than ${maxBytes / 1024} KiB`

/** Creates a tool result from a failure: the error envelope, followed by `advice` for the agent. */
export const createFailureResult = (
  failure: Failure,
  redact: Redact,
  advice: string,
): CallToolResult => {
  const redactedFailure = mapFailureTexts(failure, redactAndCut(redact))
  return {
    content: [
      { type: 'text', text: formatEnvelope(redactedFailure, isPretty) },
      { type: 'text', text: advice },
    ],
    isError: true,
  }
}

const retryLaterAdvice = 'Try once more later; if it fails again, tell the user.'

const adviceWithoutKey =
  'Do not try again: tell the user that this server has no API key. The user sets SERVICE_API_KEY (or the variable ' +
  'that the message names) in the settings of this server and starts it again.'

const adviceWithoutCredit =
  'Do not try again, and do not wait: tell the user that the credit or quota of the account is used up.'

/** The advice for each kind of failure, except for a key that is not accepted. */
const adviceByKind: Readonly<Record<Exclude<Kind, 'auth'>, string>> = {
  usage: 'Correct the arguments as the message says, and call again.',
  validation: 'Change the arguments as the message says, and call again.',
  request: 'The same call will fail again: change it as the message says, or tell the user.',
  rate_limit: 'The service has had too many requests: wait a minute before the next call.',
  server: `The service failed. ${retryLaterAdvice}`,
  invalid_response: `The service gave an answer that cannot be read. ${retryLaterAdvice}`,
  connection: `The service could not be reached in time. ${retryLaterAdvice}`,
  interrupted: 'The call was cancelled.',
  internal: 'This is a defect of svc: tell the user.',
}

/**
 * Returns advice for the agent about a failure. `keySource` is the variable that the key comes from, or `undefined` if no key
 * is sent.
 */
export const adviseAgent = (failure: Failure, keySource: string | undefined): string => {
  // A failure without `about` is not about a key: `''` is in no list.
  const isAboutKey =
    failure._tag === 'Usage' && ['key', 'key of provider'].includes(failure.about ?? '')
  if (isAboutKey) return adviceWithoutKey
  if (isOutOfCredit(failure) || (failure._tag === 'ApiError' && isAboutCredit(failure.message)))
    return adviceWithoutCredit
  const { kind } = classify(failure)
  if (kind !== 'auth') return adviceByKind[kind]
  return keySource === undefined
    ? 'Do not try again: tell the user that the service asks for a key, and that this server has none.'
    : `Do not try again: tell the user that the key in ${keySource} of this server is not accepted.`
}

/** Returns `true` if a message of the service says that the account has no credit left, such as `insufficient_quota`. */
const isAboutCredit = (message: string): boolean =>
  /insufficient[_ ](?:quota|credit|funds|balance)|out of credit|credit balance/i.test(message)
