import * as E from 'fp-ts/Either'
import { field, items, type Json, kindOf, stringIn, stringOf, textOf } from '../json/json'
import { parseText } from '../json/parse'
import { bufferOf } from '../runtime/node/buffer-of'
import { cutTo } from '../text/cut'
import type { Redact } from '../text/redact'

/** The most bytes of a service's message that are kept. spec: Limits */
const mostBytes = 200

/**
 * Reads the message of an error body: its `detail`, else its `message`, else its `error`, else its whole text,
 * trimmed. The result is valid UTF-8 of at most 200 bytes, followed by `...` if it was cut. Secrets are
 * redacted before the cut, so that no half of one is left at the end. spec: HTTP API, D44, D3
 */
export const errorMessage = (body: Uint8Array, redact: Redact): string => {
  // Invalid bytes become U+FFFD.
  const text = bufferOf(body).toString()
  const document = parseText(text)
  const message = E.isRight(document) ? messageIn(document.right) : ''
  const whole = message === '' ? text.trim() : repairText(message)
  return cutMessage(redact.beginning(whole, 2 * mostBytes))
}

/** Replaces lone surrogates, which UTF-8 cannot encode, by U+FFFD. */
const repairText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** Cuts a message to 200 bytes, and appends `...` if it was longer. spec: HTTP API */
export const cutMessage = (message: string): string => cutTo(message, mostBytes)

/** The message in a JSON body; `''` where there is none. D44 */
const messageIn = (body: Json): string =>
  detailMessage(field(body, 'detail')) ||
  text(field(body, 'message')) ||
  errorField(field(body, 'error'))

const text = (value: Json | undefined): string => stringIn(value) ?? ''

const errorField = (value: Json | undefined): string => text(field(value, 'message')) || text(value)

const detailMessage = (detail: Json | undefined): string => {
  if (detail === undefined) return ''
  switch (kindOf(detail)) {
    case 'object':
      return joined([text(field(detail, 'error_type')), text(field(detail, 'message'))], ': ')
    case 'array':
      return joined(items(detail).map(entryMessage), '; ')
    default:
      return text(detail)
  }
}

const entryMessage = (entry: Json): string => {
  if (kindOf(entry) !== 'object') return text(entry)
  const message = text(field(entry, 'msg'))
  return message === '' ? '' : joined([locText(field(entry, 'loc')), message], ': ')
}

const locText = (loc: Json | undefined): string => {
  if (loc === undefined || kindOf(loc) !== 'array') return text(loc)
  return items(loc)
    .map((part) => (kindOf(part) === 'string' ? stringOf(part) : textOf(part)))
    .join('.')
}

const joined = (parts: ReadonlyArray<string>, separator: string): string =>
  parts.filter((part) => part !== '').join(separator)
