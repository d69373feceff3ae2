import { escapeJson } from '../../failure/text/sanitize'
import type { Redact } from '../../failure/text/secret'
import { type Draft, type DraftObject, entriesOf, isList, print } from './draft'
import { Literal } from './json'

/** Encodes a document for stdout. Escapes commands of CI systems in its texts, such as `::error`. */
export const printEscaped = (draft: Draft, pretty: boolean): Buffer =>
  print(draft, pretty, encodeEscaped)

const encodeEscaped = (text: string): string => escapeJson(JSON.stringify(text))

/** Redacts secrets in the texts of a document and in the names of its maps. Does not change numbers. */
export const redactDraft = (draft: Draft, redact: Redact): Draft =>
  hasSecret(draft, redact) ? replaceSecrets(draft, redact) : draft

/** Checks if a document has a secret. Most documents have none, and need not be copied. */
const hasSecret = (draft: Draft, redact: Redact): boolean => {
  if (typeof draft === 'string') return redact(draft) !== draft
  if (typeof draft !== 'object' || draft === null || draft instanceof Literal) return false
  if (isList(draft)) return draft.some((item) => hasSecret(item, redact))
  for (const [name, value] of entriesOf(draft as DraftObject)) {
    if (hasInputNames(draft) && redact(name) !== name) return true
    if (value !== undefined && hasSecret(value, redact)) return true
  }
  return false
}

/** In a draft, maps have names from input. Plain objects have only names that svc chose, which cannot be secrets. */
const hasInputNames = (draft: Draft): boolean => draft instanceof Map

const replaceSecrets = (draft: Draft, redact: Redact): Draft => {
  if (typeof draft === 'string') return redact(draft)
  if (typeof draft !== 'object' || draft === null || draft instanceof Literal) return draft
  if (isList(draft)) return draft.map((item) => replaceSecrets(item, redact))
  const redacted = new Map<string, Draft>()
  for (const [name, value] of entriesOf(draft as DraftObject)) {
    if (value === undefined) continue
    const redactedName = hasInputNames(draft) ? redact(name) : name
    redacted.set(redactedName, replaceSecrets(value, redact))
  }
  return redacted
}
