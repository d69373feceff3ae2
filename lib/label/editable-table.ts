import * as E from 'fp-ts/Either'
import { guardCell, unguardCell } from '../runs/rows/csv'
import { guessDelimiter } from '../runs/rows/delimiter'

/**
 * A CSV table as the bytes of its file. `changeRow` creates a new table, in which the other rows and the other cells of the
 * row keep their bytes. A record is the header or a row. Rows count from 0, so row n is record n + 1.
 */
export interface EditableTable {
  readonly bytes: Buffer
  readonly delimiter: string
  readonly columns: ReadonlyArray<string>
  /** The offset in `bytes` at which each record begins, and the offset at which the last record ends. */
  readonly offsets: Uint32Array
}

const byteOrderMark = Buffer.from('\ufeff')
const quoteByte = 0x22
const newlineByte = 0x0a
const carriageReturnByte = 0x0d

/**
 * Parses a table in UTF-8. Fails with a sentence about the fault: two columns of one name, or a row with too few or too many
 * cells.
 */
export const parseEditableTable = (bytes: Buffer): E.Either<string, EditableTable> => {
  const offsets = findRecordOffsets(bytes)
  const header = sliceRecord({ bytes, offsets }, 0).text
  const delimiter = guessDelimiter(header)
  const columns = splitCells(header, delimiter).map(decodeCell)
  const repeatedColumn = columns.find((name, i) => columns.indexOf(name) !== i)
  if (repeatedColumn !== undefined) return E.left(`it has two columns "${repeatedColumn}"`)
  const table = { bytes, delimiter, columns, offsets }
  for (let row = 0; row < countTableRows(table); row++) {
    const cellCount = splitCells(sliceRecord(table, row + 1).text, delimiter).length
    if (cellCount === columns.length) continue
    // The line on which the row begins.
    const line = bytes.toString('utf8', 0, offsets[row + 1]).split('\n').length
    return E.left(`line ${line}: it has ${cellCount} cells, the header has ${columns.length}`)
  }
  return E.right(table)
}

export const countTableRows = (table: EditableTable): number => {
  // The header and the end of the last record have an offset too.
  return table.offsets.length - 2
}

/** Returns the values of a row by column. A column that the table lacks has the value `''`. */
export const getRow = (
  table: EditableTable,
  row: number,
  columns: ReadonlyArray<string> = table.columns,
): Map<string, string> => {
  const cells = splitCells(sliceRecord(table, row + 1).text, table.delimiter)
  const values = new Map<string, string>()
  for (const column of columns) {
    const cell = cells[table.columns.indexOf(column)]
    values.set(column, decodeCell(cell ?? ''))
  }
  return values
}

/** Creates a table with changed cells in a row. Adds columns that the table lacks at the end of each record. */
export const changeRow = (
  table: EditableTable,
  row: number,
  values: ReadonlyMap<string, string>,
): EditableTable => {
  const missingColumns = [...values.keys()].filter((column) => !table.columns.includes(column))
  if (missingColumns.length > 0) return changeRow(addColumns(table, missingColumns), row, values)
  const { bytes, delimiter, columns, offsets } = table
  const record = sliceRecord(table, row + 1)
  const cells = splitCells(record.text, delimiter)
  for (const [column, value] of values)
    cells[columns.indexOf(column)] = encodeCell(value, delimiter)
  const before = bytes.subarray(0, offsets[row + 1])
  const changedRecord = Buffer.from(cells.join(delimiter) + record.lineBreaks)
  const after = bytes.subarray(offsets[row + 2])
  const changedBytes = Buffer.concat([before, changedRecord, after])
  const growth = changedBytes.length - bytes.length
  // The record ends at `offsets[row + 2]`. This offset and all after it move.
  const changedOffsets = offsets.map((offset, i) => (i < row + 2 ? offset : offset + growth))
  return { ...table, bytes: changedBytes, offsets: changedOffsets }
}

const addColumns = (table: EditableTable, addedColumns: ReadonlyArray<string>): EditableTable => {
  const { bytes, delimiter, columns, offsets } = table
  const addedHeader = addedColumns
    .map((column) => delimiter + encodeCell(column, delimiter))
    .join('')
  const emptyCells = delimiter.repeat(addedColumns.length)
  let text = ''
  for (let i = 0; i <= countTableRows(table); i++) {
    const record = sliceRecord(table, i)
    text += record.text + (i === 0 ? addedHeader : emptyCells) + record.lineBreaks
  }
  // A byte order mark stays in front of the header.
  const widened = Buffer.concat([bytes.subarray(0, offsets[0]), Buffer.from(text)])
  return {
    delimiter,
    bytes: widened,
    columns: [...columns, ...addedColumns],
    offsets: findRecordOffsets(widened),
  }
}

/** Finds the `offsets` of a table. A record ends at a line break outside quotes, and includes the empty lines after it. */
const findRecordOffsets = (bytes: Buffer): Uint32Array => {
  const hasByteOrderMark = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
  const start = hasByteOrderMark ? byteOrderMark.length : 0
  const offsets = [start]
  let isQuoted = false
  for (let offset = start; offset < bytes.length; offset++) {
    // A doubled quote inside quotes switches twice, so it changes nothing.
    if (bytes[offset] === quoteByte) isQuoted = !isQuoted
    if (bytes[offset] !== newlineByte || isQuoted) continue
    while (measureLineBreak(bytes, offset + 1) > 0) offset += measureLineBreak(bytes, offset + 1)
    offsets.push(offset + 1)
  }
  // The last record may have no line break. A file without text still has a header, which is empty.
  if (offsets.length === 1 || offsets.at(-1) !== bytes.length) offsets.push(bytes.length)
  return Uint32Array.from(offsets)
}

/** Returns the length of the line break at an offset, or 0. */
const measureLineBreak = (bytes: Buffer, offset: number): number => {
  if (bytes[offset] === newlineByte) return 1
  const isCrLf = bytes[offset] === carriageReturnByte && bytes[offset + 1] === newlineByte
  return isCrLf ? 2 : 0
}

/** Returns the text of a record, and the line breaks after it. */
const sliceRecord = (
  { bytes, offsets }: Pick<EditableTable, 'bytes' | 'offsets'>,
  index: number,
) => {
  const record = bytes.toString('utf8', offsets[index], offsets[index + 1])
  let end = record.length
  while (record[end - 1] === '\n') end -= record[end - 2] === '\r' ? 2 : 1
  return { text: record.slice(0, end), lineBreaks: record.slice(end) }
}

/** Divides a record into its cells, which keep their quotes. */
const splitCells = (record: string, delimiter: string): string[] => {
  const cells: string[] = []
  let isQuoted = false
  let start = 0
  for (let index = 0; index < record.length; index++) {
    const character = record[index]
    if (character === '"') isQuoted = !isQuoted
    if (character === delimiter && !isQuoted) {
      cells.push(record.slice(start, index))
      start = index + 1
    }
  }
  cells.push(record.slice(start))
  return cells
}

/** Removes the quotes of a cell, and the guard against being run as a formula. */
const decodeCell = (cell: string): string => {
  const isQuoted = cell.length > 1 && cell.startsWith('"') && cell.endsWith('"')
  return unguardCell(isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell)
}

/** Quotes a cell if necessary, and guards it against being run as a formula. */
const encodeCell = (value: string, delimiter: string): string => {
  const cell = guardCell(value)
  const needsQuotes = cell.includes(delimiter) || /["\r\n]/.test(cell)
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell
}
