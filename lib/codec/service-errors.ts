import * as E from 'fp-ts/Either'
import { cutWithEllipsis } from '../text/sanitize'
import type { Redact } from '../text/secret'
import { plainText } from './json/draft'
import { type JsonValue, memberIn, stringIn } from './json/json'
import { bufferOf, parseText } from './json/parse'

/** The maximum size of a service's message. */
const maxMessageBytes = 200

/**
 * Finds the message in an error body: its `detail`, or else its `message`, its `error`, or its whole text, trimmed. Prepares it with
 * `prepareMessage`.
 */
export const decodeErrorMessage = (body: Uint8Array, redact: Redact): string => {
  // Invalid bytes become U+FFFD.
  const text = bufferOf(body).toString()
  const document = parseText(text)
  const message = E.isRight(document) ? findMessage(document.right) : ''
  return prepareMessage(message === '' ? text.trim() : message, redact)
}

/**
 * Prepares a message of a service for display. Redacts secrets, replaces invalid characters, then cuts the message like `cutMessage`.
 * The cut comes last, because a secret that is cut in two would not be recognized.
 */
export const prepareMessage = (message: string, redact: Redact): string =>
  cutMessage(repairText(redact(message)))

/** Cuts a message to 200 bytes, and appends `...` if it was longer. */
export const cutMessage = (message: string): string => cutWithEllipsis(message, maxMessageBytes)

/** Replaces lone surrogates, which UTF-8 cannot encode, by U+FFFD. */
const repairText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** Returns the message in a JSON body, or `''` if there is none. */
const findMessage = (body: JsonValue): string =>
  formatDetail(memberIn(body, 'detail')) ||
  textIn(memberIn(body, 'message')) ||
  formatErrorField(memberIn(body, 'error'))

/** Returns the value if it is a string, or else `''`. */
const textIn = (value: JsonValue | undefined): string => stringIn(value) ?? ''

/** Formats `error`: a text, or an object with a `message`. */
const formatErrorField = (value: JsonValue | undefined): string =>
  textIn(memberIn(value, 'message')) || textIn(value)

/** Formats `detail`: a text, an object with an `error_type` and a `message`, or a list of faults. */
const formatDetail = (detail: JsonValue | undefined): string => {
  if (Array.isArray(detail)) return joinNonEmpty(detail.map(formatFault), '; ')
  if (!(detail instanceof Map)) return textIn(detail)
  return joinNonEmpty([detail.get('error_type'), detail.get('message')].map(textIn), ': ')
}

/** Formats a fault in the form of FastAPI: `{"loc":["body","state"],"msg":"is required"}` becomes `body.state: is required`. */
const formatFault = (fault: JsonValue): string => {
  if (!(fault instanceof Map)) return textIn(fault)
  const message = textIn(memberIn(fault, 'msg'))
  return message === '' ? '' : joinNonEmpty([joinLoc(memberIn(fault, 'loc')), message], ': ')
}

const joinLoc = (loc: JsonValue | undefined): string =>
  Array.isArray(loc) ? loc.map(plainText).join('.') : textIn(loc)

const joinNonEmpty = (parts: ReadonlyArray<string>, separator: string): string =>
  parts.filter((part) => part !== '').join(separator)
