import type { CallToolResult } from '@modelcontextprotocol/server'
import * as E from 'fp-ts/Either'
import type { Draft } from '../codec/json/draft'
import { printHarmless, redactDraft } from '../codec/json/output'
import { classify, isOutOfCredit, type Kind } from '../failure/classify'
import { formatEnvelope } from '../failure/envelope'
import { type Failure, validation } from '../failure/failure'
import { mapTexts } from '../failure/map-texts'
import { redactAndCut } from '../failure/text/cut'
import type { Redact } from '../failure/text/redact'

/** The members of a document; `undefined` ones are left out. */
export type ResultMembers = Readonly<Record<string, Draft | undefined>>

/** The bytes that a result's document may have: about as much as an agent can handle. */
export const maxResultBytes = 80 << 10

/**
 * Turns a document into a tool result: as text and, for hosts that know it, as structured content. Secrets are redacted
 * in answers too, since an agent must not learn the key. Fails if the document is too large.
 */
export const createResult = (
  document: ResultMembers,
  redact: Redact,
): E.Either<Failure, CallToolResult> => {
  const text = printHarmless(redactDraft(document, redact), false).toString()
  const bytes = Buffer.byteLength(text)
  return bytes > maxResultBytes
    ? E.left(validation('questions', `${describeSize(bytes, maxResultBytes)}; ask fewer questions`))
    : E.right({ content: [{ type: 'text', text }], structuredContent: JSON.parse(text) })
}

/** Says why a result is refused. It is not cut, because half an answer would look like a whole one. */
export const describeSize = (bytes: number, maxBytes: number): string =>
  `the result takes ${Math.ceil(bytes / 1024)} KiB, more than ${maxBytes / 1024} KiB`

/** Turns a failure into a tool result: the error envelope, and what the agent can do about it. */
export const createFailureResult = (
  failure: Failure,
  redact: Redact,
  advice: string,
): CallToolResult => {
  const shown = mapTexts(failure, redactAndCut(redact))
  return {
    content: [
      { type: 'text', text: formatEnvelope(shown, false) },
      { type: 'text', text: advice },
    ],
    isError: true,
  }
}

const later = 'Try once more later; if it fails again, tell the user.'

/**
 * Says in a sentence what the agent can do about a failure. `keySource` is the variable that the key comes from, or
 * `undefined` if no key is sent.
 */
export const adviseOn = (failure: Failure, keySource: string | undefined): string => {
  if (failure._tag === 'Usage' && failure.about?.startsWith('key')) return adviceWithoutKey
  if (isOutOfCredit(failure) || (failure._tag === 'ApiError' && namesCredit(failure.message)))
    return adviceWithoutCredit
  const { kind } = classify(failure)
  if (kind !== 'auth') return adviceFor[kind]
  return keySource === undefined
    ? 'Do not try again: tell the user that the service asks for a key, and that this server has none.'
    : `Do not try again: tell the user that the key in ${keySource} of this server is not accepted.`
}

const adviceWithoutKey =
  'Do not try again: tell the user that this server has no API key. The user sets SERVICE_API_KEY (or the variable ' +
  'that the message names) in the settings of this server and starts it again.'

const adviceWithoutCredit =
  'Do not try again, and do not wait: tell the user that the credit or quota of the account is used up.'

/** Whether a service says that it answers no further call until the account is paid. */
const namesCredit = (message: string): boolean =>
  /insufficient[_ ](?:quota|credit|funds|balance)|out of credit|credit balance/i.test(message)

/** The advice for each kind of failure but a key that is not accepted. */
const adviceFor: Readonly<Record<Exclude<Kind, 'auth'>, string>> = {
  usage: 'Correct the arguments as the message says, and call again.',
  validation: 'Change the arguments as the message says, and call again.',
  request: 'The same call will fail again: change it as the message says, or tell the user.',
  rate_limit: 'The service has had too many requests: wait a minute before the next call.',
  server: `The service failed. ${later}`,
  invalid_response: `The service gave an answer that cannot be read. ${later}`,
  connection: `The service could not be reached in time. ${later}`,
  interrupted: 'The call was cancelled.',
  internal: 'This is a defect of svc: tell the user.',
}
