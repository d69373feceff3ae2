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
 * Completes a model list for clients of every dialect: adds whichever of `models`, `object` and `data` are missing. All other
 * fields stay as they are.
 */
export const completeModels = (document: JsonValue): Draft => {
  const models = memberIn(document, 'models')
  const data = memberIn(document, 'data')
  const completed = new Map<string, Draft>(membersIn(document))
  if (models === undefined) completed.set('models', itemsIn(data).map(convertDataEntry))
  if (memberIn(document, 'object') === undefined) completed.set('object', 'list')
  if (data === undefined) completed.set('data', itemsIn(models).map(convertModelsEntry))
  return completed
}

/** Converts an entry of `data` to one of `models`. */
const convertDataEntry = (entry: JsonValue): Draft => ({
  name: stringIn(memberIn(entry, 'id')) ?? '',
  description: '',
  release_date: formatDate(memberIn(entry, 'created')),
})

/** Converts an entry of `models` to one of `data`. */
const convertModelsEntry = (entry: JsonValue): Draft => ({
  id: stringIn(memberIn(entry, 'name')) ?? '',
  object: 'model',
  created: parseDate(stringIn(memberIn(entry, 'release_date')) ?? ''),
  owned_by: 'svc',
})

/** Formats seconds since 1970 as a date and time; `''` for any other value. */
const formatDate = (seconds: JsonValue | undefined): string => {
  const date = new Date((numberIn(seconds) ?? Number.NaN) * 1000)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** Parses a date and time into seconds since 1970; 0 if the text is not a date. */
const parseDate = (text: string): number => Math.floor((Date.parse(text) || 0) / 1000)
