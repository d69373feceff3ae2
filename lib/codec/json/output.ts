import { escapeJson } from '../../failure/text/harmless'
import type { Redact } from '../../failure/text/redact'
import { type Draft, Entries, isList, print } from './draft'
import { Json, stringOf } from './json'
import { endOfString } from './skip'

/** Prints a document that svc writes itself, so that it is harmless in a CI system's log. D59 */
export const printHarmless = (draft: Draft, pretty: boolean): Buffer =>
  Buffer.from(escapeJson(print(draft, pretty).toString()))

/** Turns a text into a JSON string that is harmless in a CI system's log. D59 */
export const encodeHarmless = (text: string): Json => {
  const bytes = Buffer.from(escapeJson(JSON.stringify(text)))
  return new Json(bytes, 0, bytes.length)
}

/** Redacts secrets in the texts of a document, and in names that come from outside. Numbers are not changed. D52 */
export const redactDraft = (draft: Draft, redact: Redact): Draft => {
  if (typeof draft === 'string') return redact(draft)
  if (typeof draft !== 'object' || draft === null) return draft
  if (draft instanceof Json) return redactJson(draft, redact)
  if (draft instanceof Entries) {
    return new Entries(
      Array.from(draft.list, ([name, value]) => [
        typeof name === 'string' ? redact(name) : redactJson(name, redact),
        redactDraft(value, redact),
      ]),
    )
  }
  if (isList(draft)) return draft.map((item) => redactDraft(item, redact))
  return Object.fromEntries(
    Object.entries(draft).map(([name, value]) => [
      name,
      value === undefined ? undefined : redactDraft(value, redact),
    ]),
  )
}

/**
 * Redacts secrets in the strings of a JSON value, searching their decoded text. Strings without a secret keep
 * their literals.
 */
const redactJson = (json: Json, redact: Redact): Json => {
  const bytes = json.bytes.subarray(json.start, json.end)
  const parts: Buffer[] = []
  let done = 0
  for (let at = bytes.indexOf(quote); at >= 0; ) {
    const end = endOfString(bytes, at)
    const text = stringOf(new Json(bytes, at, end))
    const shown = redact(text)
    if (shown !== text) {
      parts.push(bytes.subarray(done, at), Buffer.from(JSON.stringify(shown)))
      done = end
    }
    at = bytes.indexOf(quote, end)
  }
  if (parts.length === 0) return json
  const whole = Buffer.concat([...parts, bytes.subarray(done)])
  return new Json(whole, 0, whole.length)
}

const quote = 0x22
