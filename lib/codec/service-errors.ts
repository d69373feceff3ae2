import * as E from 'fp-ts/Either'
import { cutTo } from '../failure/text/cut'
import type { Redact } from '../failure/text/redact'
import { encodeText } from './json/draft'
import { itemsOf, type JsonValue, kindOf, memberIn, stringIn, stringOf } from './json/json'
import { bufferOf, parseText } from './json/parse'

/** The most bytes of a service's message that are kept. */
const mostBytes = 200

/**
 * Reads the message of an error body: its `detail`, else its `message`, else its `error`, else its whole text,
 * trimmed. The result is valid UTF-8 of at most 200 bytes, followed by `...` if it was cut. Secrets are
 * redacted before the cut, so that no half of one is left at the end.
 */
export const readErrorMessage = (body: Uint8Array, redact: Redact): string => {
  // Invalid bytes become U+FFFD.
  const text = bufferOf(body).toString()
  const document = parseText(text)
  const message = E.isRight(document) ? findMessage(document.right) : ''
  const whole = message === '' ? text.trim() : message
  return prepareMessage(whole, redact)
}

/** Redacts a message, then cuts it to 200 bytes, so that no half of a secret is left at the end. */
export const prepareMessage = (message: string, redact: Redact): string =>
  cutMessage(repairText(redact(message)))

/** Replaces lone surrogates, which UTF-8 cannot encode, by U+FFFD. */
const repairText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** Cuts a message to 200 bytes, and appends `...` if it was longer. */
export const cutMessage = (message: string): string => cutTo(message, mostBytes)

/** The message in a JSON body; `''` where there is none. */
const findMessage = (body: JsonValue): string =>
  readDetail(memberIn(body, 'detail')) ||
  textIn(memberIn(body, 'message')) ||
  readErrorField(memberIn(body, 'error'))

const textIn = (value: JsonValue | undefined): string => stringIn(value) ?? ''

const readErrorField = (value: JsonValue | undefined): string =>
  textIn(memberIn(value, 'message')) || textIn(value)

const readDetail = (detail: JsonValue | undefined): string => {
  if (detail === undefined) return ''
  switch (kindOf(detail)) {
    case 'object':
      return joinFilled(
        [textIn(memberIn(detail, 'error_type')), textIn(memberIn(detail, 'message'))],
        ': ',
      )
    case 'array':
      return joinFilled(itemsOf(detail).map(readEntry), '; ')
    default:
      return textIn(detail)
  }
}

const readEntry = (entry: JsonValue): string => {
  if (kindOf(entry) !== 'object') return textIn(entry)
  const message = textIn(memberIn(entry, 'msg'))
  return message === '' ? '' : joinFilled([readLoc(memberIn(entry, 'loc')), message], ': ')
}

const readLoc = (loc: JsonValue | undefined): string => {
  if (loc === undefined || kindOf(loc) !== 'array') return textIn(loc)
  return itemsOf(loc)
    .map((part) => (kindOf(part) === 'string' ? stringOf(part) : encodeText(part)))
    .join('.')
}

const joinFilled = (parts: ReadonlyArray<string>, separator: string): string =>
  parts.filter((part) => part !== '').join(separator)
