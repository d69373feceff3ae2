import type { Draft } from '../../codec/json/draft'
import {
  itemsIn,
  type JsonValue,
  memberIn,
  membersIn,
  numberIn,
  stringIn,
} from '../../codec/json/json'

/**
 * Writes a model list so that clients of every dialect find theirs: what the document lacks of `models`, `object` and
 * `data` is added, and the rest stays as it is.
 */
export const completeModels = (document: JsonValue): Draft => {
  const [models, data] = [memberIn(document, 'models'), memberIn(document, 'data')]
  return new Map<string, Draft>([
    ...membersIn(document),
    ...(models === undefined ? [['models', itemsIn(data).map(nameEntry)] as const] : []),
    ...(memberIn(document, 'object') === undefined ? [['object', 'list'] as const] : []),
    ...(data === undefined ? [['data', itemsIn(models).map(identifyEntry)] as const] : []),
  ])
}

/** An entry of `data` as one of `models`. */
const nameEntry = (entry: JsonValue): Draft => ({
  name: stringIn(memberIn(entry, 'id')) ?? '',
  description: '',
  release_date: writeDate(memberIn(entry, 'created')),
})

/** An entry of `models` as one of `data`. */
const identifyEntry = (entry: JsonValue): Draft => ({
  id: stringIn(memberIn(entry, 'name')) ?? '',
  object: 'model',
  created: readDate(stringIn(memberIn(entry, 'release_date')) ?? ''),
  owned_by: 'svc',
})

/** Seconds since 1970 as a date and time; `''` for anything that is no such number. */
const writeDate = (seconds: JsonValue | undefined): string => {
  const date = new Date((numberIn(seconds) ?? Number.NaN) * 1000)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** A date and time as seconds since 1970; 0 for a text that is none. */
const readDate = (text: string): number => Math.floor((Date.parse(text) || 0) / 1000)
