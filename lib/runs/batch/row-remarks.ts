import { type JsonValue, stringIn } from '../../codec/json/json'
import { formatCount } from '../../failure/text/table'
import { digestValue } from '../record/record'
import type { LabelField, Row } from '../rows/row'

/** Remarks about the rows that were read so far, for people. */
export interface RowRemarks {
  /** The label fields that are missing in every row; empty if no row could be read. */
  readonly absentLabels: ReadonlyArray<LabelField>
  /** The number of rows whose state has no content. */
  readonly emptyStates: number
  /** The number of rows that share their id with another row. */
  readonly sharedIds: number
}

/** The hexadecimal digits of a hash: 6 bytes, which a number holds exactly. */
const hashDigits = 12

/** Collects remarks about rows. It holds ids as hashes of 6 bytes: a million rows take about 50 MB. */
export const createRowRemarks = (labels: ReadonlyArray<LabelField>) => {
  const absent = new Set(labels)
  let hasReadRow = false
  const ids = new Set<number>()
  const shared = new Set<number>()
  let emptyStates = 0
  let sharedIds = 0
  const addId = (id: JsonValue): void => {
    const hash = Number.parseInt(digestValue(id).slice(0, hashDigits), 16)
    if (ids.has(hash)) {
      // The first row with this id shares it too.
      sharedIds += shared.has(hash) ? 1 : 2
      shared.add(hash)
    }
    ids.add(hash)
  }
  return {
    add: ({ absentLabels, state, id }: Row): void => {
      // A row that could not be read has no list of absent labels.
      if (absentLabels !== undefined) hasReadRow = true
      for (const label of absent) if (absentLabels?.includes(label) === false) absent.delete(label)
      if (state !== undefined && isEmpty(state)) emptyStates += 1
      if (id !== undefined) addId(id)
    },
    remarks: (): RowRemarks => ({
      absentLabels: hasReadRow ? [...absent] : [],
      emptyStates,
      sharedIds,
    }),
  }
}

/** Returns `true` for null, blank text, and a list or object that holds only those. Deeper levels are not searched. */
const isEmpty = (state: JsonValue): boolean => {
  if (isBlankValue(state)) return true
  if (Array.isArray(state)) return state.every(isBlankValue)
  return state instanceof Map && [...state.values()].every(isBlankValue)
}

const isBlankValue = (value: JsonValue): boolean => value === null || stringIn(value)?.trim() === ''

/** Describes each remark in a line for stderr. */
export const describeRemarks = ({
  absentLabels,
  emptyStates,
  sharedIds,
}: RowRemarks): ReadonlyArray<string> => {
  const lines = absentLabels.map(
    ({ id, field }) => `batch: no row had the field "${field}", which --label names for "${id}"`,
  )
  if (emptyStates > 0)
    lines.push(`batch: ${formatCount(emptyStates, 'row', 'has', 'have')} an empty state`)
  if (sharedIds > 0) lines.push(`batch: ${sharedIds} rows share an id with another row`)
  return lines
}
