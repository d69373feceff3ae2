import * as E from 'fp-ts/Either'
import { cutTo } from '../failure/text/sanitize'
import type { Redact } from '../failure/text/secret'
import { plainText } from './json/draft'
import { type JsonValue, memberIn, stringIn } from './json/json'
import { bufferOf, parseText } from './json/parse'

/** The maximum length of a service's message. A longer message is cut. */
const maxMessageBytes = 200

/**
 * Finds the message in an error body: its `detail`, or else its `message`, its `error`, or its whole text, trimmed. Prepares the
 * message for display, like `prepareMessage`.
 */
export const decodeErrorMessage = (body: Uint8Array, redact: Redact): string => {
  // Invalid bytes become U+FFFD.
  const text = bufferOf(body).toString()
  const document = parseText(text)
  const message = E.isRight(document) ? findMessage(document.right) : ''
  return prepareMessage(message === '' ? text.trim() : message, redact)
}

/**
 * Prepares a message of a service for display. Redacts secrets, replaces invalid characters, and cuts the message to 200 bytes,
 * followed by `...`. The cut comes last, because it could divide a secret.
 */
export const prepareMessage = (message: string, redact: Redact): string =>
  cutMessage(repairText(redact(message)))

/** Replaces lone surrogates, which UTF-8 cannot encode, by U+FFFD. */
const repairText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** Cuts a message to 200 bytes, and appends `...` if it was longer. */
export const cutMessage = (message: string): string => cutTo(message, maxMessageBytes)

/** Returns the message in a JSON body; `''` if there is none. */
const findMessage = (body: JsonValue): string =>
  formatDetail(memberIn(body, 'detail')) ||
  textIn(memberIn(body, 'message')) ||
  formatErrorField(memberIn(body, 'error'))

/** Returns the value if it is a string, or else `''`. */
const textIn = (value: JsonValue | undefined): string => stringIn(value) ?? ''

const formatErrorField = (value: JsonValue | undefined): string =>
  textIn(memberIn(value, 'message')) || textIn(value)

const formatDetail = (detail: JsonValue | undefined): string => {
  if (Array.isArray(detail)) return joinNonEmpty(detail.map(formatEntry), '; ')
  const parts = [memberIn(detail, 'error_type'), memberIn(detail, 'message')]
  return detail instanceof Map ? joinNonEmpty(parts.map(textIn), ': ') : textIn(detail)
}

const formatEntry = (entry: JsonValue): string => {
  if (!(entry instanceof Map)) return textIn(entry)
  const message = textIn(memberIn(entry, 'msg'))
  return message === '' ? '' : joinNonEmpty([joinLoc(memberIn(entry, 'loc')), message], ': ')
}

const joinLoc = (loc: JsonValue | undefined): string => {
  if (!Array.isArray(loc)) return textIn(loc)
  return loc.map(plainText).join('.')
}

const joinNonEmpty = (parts: ReadonlyArray<string>, separator: string): string =>
  parts.filter((part) => part !== '').join(separator)
