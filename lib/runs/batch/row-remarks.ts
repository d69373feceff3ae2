import { type JsonValue, stringIn } from '../../codec/json/json'
import { formatCount } from '../../failure/text/table'
import { digestValue } from '../record/record'
import type { LabelField, Row } from '../rows/row'

/** Unusual properties of the rows that were read so far. */
export interface RowRemarks {
  /** The label fields that every row lacks. Empty if no row could be read. */
  readonly absentLabelFields: ReadonlyArray<LabelField>
  /** The number of rows whose state has no content. */
  readonly emptyStates: number
  /** The number of rows that share their id with another row. */
  readonly rowsWithSharedId: number
}

/** The length of an id's hash in hexadecimal digits. They are 6 bytes, which a number can represent exactly. */
const hashDigits = 12

/** Creates a collector of remarks. It stores a hash of each id: a million rows take about 50 MB. */
export const createRemarkCollector = (labelFields: ReadonlyArray<LabelField>) => {
  const absentInAllRows = new Set(labelFields)
  let wasAnyRowRead = false
  const idHashes = new Set<number>()
  const sharedIdHashes = new Set<number>()
  let emptyStates = 0
  let rowsWithSharedId = 0
  const addId = (id: JsonValue): void => {
    const hash = Number.parseInt(digestValue(id).slice(0, hashDigits), 16)
    if (idHashes.has(hash)) {
      // The second row with an id also counts the first one.
      rowsWithSharedId += sharedIdHashes.has(hash) ? 1 : 2
      sharedIdHashes.add(hash)
    }
    idHashes.add(hash)
  }
  return {
    add: ({ absentLabelFields, state, id }: Row): void => {
      // A row that could not be read has no list of absent label fields.
      if (absentLabelFields !== undefined) {
        wasAnyRowRead = true
        for (const labelField of absentInAllRows)
          if (!absentLabelFields.includes(labelField)) absentInAllRows.delete(labelField)
      }
      if (state !== undefined && isEmpty(state)) emptyStates += 1
      if (id !== undefined) addId(id)
    },
    remarks: (): RowRemarks => ({
      absentLabelFields: wasAnyRowRead ? [...absentInAllRows] : [],
      emptyStates,
      rowsWithSharedId,
    }),
  }
}

/** Returns `true` for null, a blank text, and an array or object that contains only these. Does not search deeper levels. */
const isEmpty = (state: JsonValue): boolean => {
  if (isBlankValue(state)) return true
  if (Array.isArray(state)) return state.every(isBlankValue)
  return state instanceof Map && [...state.values()].every(isBlankValue)
}

const isBlankValue = (value: JsonValue): boolean => value === null || stringIn(value)?.trim() === ''

/** Formats remarks as lines for stderr. */
export const describeRemarks = ({
  absentLabelFields,
  emptyStates,
  rowsWithSharedId,
}: RowRemarks): ReadonlyArray<string> => {
  const lines = absentLabelFields.map(
    ({ questionId, field }) =>
      `batch: no row had the field "${field}", which --label names for "${questionId}"`,
  )
  if (emptyStates > 0)
    lines.push(`batch: ${formatCount(emptyStates, 'row', 'has', 'have')} an empty state`)
  if (rowsWithSharedId > 0)
    lines.push(`batch: ${rowsWithSharedId} rows share an id with another row`)
  return lines
}
