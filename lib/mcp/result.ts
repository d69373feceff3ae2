import type { CallToolResult } from '@modelcontextprotocol/server'
import * as E from 'fp-ts/Either'
import { type Draft, print } from '../codec/json/draft'
import { Json } from '../codec/json/json'
import { redactDraft } from '../codec/json/output'
import { classify, type Kind } from '../failure/classify'
import { writeEnvelope } from '../failure/envelope'
import { type Failure, validation } from '../failure/failure'
import { mapTexts } from '../failure/map-texts'
import { redactAndCut } from '../failure/text/cut'
import type { Redact } from '../failure/text/redact'

/** The members of a document; `undefined` ones are left out. */
export type Members = Readonly<Record<string, Draft | undefined>>

/** The most bytes of a result's document, about as much as an agent can handle. R26 */
export const mostBytes = 80 << 10

/**
 * Turns a document into a tool result: as structured content and, for hosts that do not know that, as text. Secrets
 * are redacted in answers, too, since an agent must not learn the key. Fails where it is too large. D52
 */
export const createResult = (
  document: Members,
  redact: Redact,
): E.Either<Failure, CallToolResult> => {
  const { length } = print(document, false)
  if (length > mostBytes)
    return E.left(validation('questions', `${describeSize(length)}; ask fewer questions`))
  const members = Object.entries(document).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, printSpaced(redactDraft(value, redact))] as const],
  )
  const structuredContent = Object.fromEntries(members)
  const text = print(structuredContent, false).toString()
  return E.right({ content: [{ type: 'text', text }], structuredContent })
}

/** Prints a value as the text has it, so that text and structured content are identical. */
const printSpaced = (value: Draft): Json => {
  const bytes = print(value, false)
  return new Json(bytes, 0, bytes.length)
}

/**
 * Says why a result of so many bytes is refused. It is not cut, because half an answer would look like a whole
 * one. R26
 */
export const describeSize = (bytes: number): string =>
  `the result takes ${Math.ceil(bytes / 1024)} KiB, more than ${mostBytes / 1024} KiB`

/** Turns a failure into a tool result: the error envelope, and what the agent can do about it. R26, D52, D59 */
export const createFailureResult = (
  failure: Failure,
  redact: Redact,
  advice: string,
): CallToolResult => {
  const shown = mapTexts(failure, redactAndCut(redact))
  return {
    content: [
      { type: 'text', text: writeEnvelope(shown, false) },
      { type: 'text', text: advice },
    ],
    isError: true,
  }
}

const later = 'Try once more later; if it fails again, tell the user.'

/**
 * Says in a sentence what the agent can do about a failure. `keySource` is the variable that the key comes from;
 * `undefined` where no key is sent.
 */
export const adviseOn = (failure: Failure, keySource: string | undefined): string => {
  const { kind } = classify(failure)
  if (kind !== 'auth') return adviceFor[kind]
  return keySource === undefined
    ? 'Do not try again: tell the user that the service asks for a key, and that this server has none.'
    : `Do not try again: tell the user that the key in ${keySource} of this server is not accepted.`
}

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
