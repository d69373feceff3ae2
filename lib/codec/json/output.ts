import { escapeJson } from '../../failure/text/harmless'
import type { Redact } from '../../failure/text/redact'
import { type Draft, entriesOf, isList, print } from './draft'
import { Literal } from './json'

/** Prints a document that svc writes itself, so that it is harmless in a CI system's log. */
export const printHarmless = (draft: Draft, pretty: boolean): Buffer =>
  print(draft, pretty, writeHarmless)

const writeHarmless = (text: string): string => escapeJson(JSON.stringify(text))

/** Redacts secrets in the texts of a document, and in names that come from outside. Numbers are not changed. */
export const redactDraft = (draft: Draft, redact: Redact): Draft =>
  holdsSecret(draft, redact) ? replaceSecrets(draft, redact) : draft

/** Whether a document holds a secret. Most hold none, and need not be copied. */
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
  const shown = new Map<string, Draft>()
  const members = draft as ReadonlyMap<string, Draft>
  const isFromOutside = members instanceof Map
  for (const [name, value] of entriesOf(members))
    if (value !== undefined)
      shown.set(isFromOutside ? redact(name) : name, replaceSecrets(value, redact))
  return shown
}
