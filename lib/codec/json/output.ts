import { escapeJson } from '../../failure/text/sanitize'
import type { Redact } from '../../failure/text/secret'
import { type Draft, entriesOf, isList, print } from './draft'
import { Literal } from './json'

/** Encodes a document for stdout. Commands of CI systems in its texts are escaped. */
export const printHarmless = (draft: Draft, pretty: boolean): Buffer =>
  print(draft, pretty, encodeHarmless)

const encodeHarmless = (text: string): string => escapeJson(JSON.stringify(text))

/** Redacts secrets in the texts of a document, and in names that come from outside. Numbers are not changed. */
export const redactDraft = (draft: Draft, redact: Redact): Draft =>
  holdsSecret(draft, redact) ? replaceSecrets(draft, redact) : draft

/** Checks if a document holds a secret. Most documents hold none, and need no copy. */
const holdsSecret = (draft: Draft, redact: Redact): boolean => {
  if (typeof draft === 'string') return redact(draft) !== draft
  if (typeof draft !== 'object' || draft === null || draft instanceof Literal) return false
  if (isList(draft)) return draft.some((item) => holdsSecret(item, redact))
  const members = draft as ReadonlyMap<string, Draft>
  const isFromOutside = members instanceof Map
  for (const [name, value] of entriesOf(members)) {
    if (isFromOutside && redact(name) !== name) return true
    if (value !== undefined && holdsSecret(value, redact)) return true
  }
  return false
}

const replaceSecrets = (draft: Draft, redact: Redact): Draft => {
  if (typeof draft === 'string') return redact(draft)
  if (typeof draft !== 'object' || draft === null || draft instanceof Literal) return draft
  if (isList(draft)) return draft.map((item) => replaceSecrets(item, redact))
  const redacted = new Map<string, Draft>()
  const members = draft as ReadonlyMap<string, Draft>
  const isFromOutside = members instanceof Map
  for (const [name, value] of entriesOf(members))
    if (value !== undefined)
      redacted.set(isFromOutside ? redact(name) : name, replaceSecrets(value, redact))
  return redacted
}
