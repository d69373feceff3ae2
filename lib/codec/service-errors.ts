import * as E from 'fp-ts/Either'
import { cutTo } from '../failure/text/cut'
import type { Redact } from '../failure/text/secret'
import { plainText } from './json/draft'
import { type JsonValue, memberIn, stringIn } from './json/json'
import { bufferOf, parseText } from './json/parse'

/** Messages of a service are cut to this length. */
const maxMessageBytes = 200

/**
 * Decodes the message of an error body: its `detail`, else its `message`, else its `error`, else its whole text,
 * trimmed. The result is prepared by `prepareMessage`.
 */
export const decodeErrorMessage = (body: Uint8Array, redact: Redact): string => {
  // Invalid bytes become U+FFFD.
  const text = bufferOf(body).toString()
  const document = parseText(text)
  const message = E.isRight(document) ? findMessage(document.right) : ''
  const whole = message === '' ? text.trim() : message
  return prepareMessage(whole, redact)
}

/**
 * Prepares a message of a service for display: valid UTF-8 of at most 200 bytes, followed by `...` if it was cut. Secrets are
 * redacted before the cut, which could otherwise leave a part of one.
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

const textIn = (value: JsonValue | undefined): string => stringIn(value) ?? ''

const formatErrorField = (value: JsonValue | undefined): string =>
  textIn(memberIn(value, 'message')) || textIn(value)

const formatDetail = (detail: JsonValue | undefined): string => {
  if (Array.isArray(detail)) return joinFilled(detail.map(formatEntry), '; ')
  const words = [memberIn(detail, 'error_type'), memberIn(detail, 'message')]
  return detail instanceof Map ? joinFilled(words.map(textIn), ': ') : textIn(detail)
}

const formatEntry = (entry: JsonValue): string => {
  if (!(entry instanceof Map)) return textIn(entry)
  const message = textIn(memberIn(entry, 'msg'))
  return message === '' ? '' : joinFilled([joinLoc(memberIn(entry, 'loc')), message], ': ')
}

const joinLoc = (loc: JsonValue | undefined): string => {
  if (!Array.isArray(loc)) return textIn(loc)
  return loc.map(plainText).join('.')
}

const joinFilled = (parts: ReadonlyArray<string>, separator: string): string =>
  parts.filter((part) => part !== '').join(separator)
