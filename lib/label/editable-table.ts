import * as E from 'fp-ts/Either'
import { maxDocumentBytes } from '../codec/json/parse'
import type { InputLine } from '../runs/record/lines'
import type { TableForm } from '../runs/rows/form'
import { decodeCell, encodeCell, spansRows } from '../runs/tables/cells'
import { guardCell, unguardCell } from '../runs/tables/guards'
import { checkHeader, checkLabelColumns, type TableHeader } from '../runs/tables/header'
import { createRecordSplitter } from '../runs/tables/records'
import {
  describeCellCount,
  readRecord,
  readTableHeader,
  type TableRecord,
} from '../runs/tables/table-rows'
import { findTableStart, type TableStart } from '../runs/tables/table-start'
import { createEncoder, decodeWhole, type EncodeText } from '../text/encoding'

/** The syntax and encoding in which a table is written. They never change. */
interface TableFile extends TableStart {
  /** The byte order mark; empty if the file has none. */
  readonly mark: Buffer
  readonly encode: EncodeText
}

/** A record of a table: the header or a row. */
interface EditableRecord {
  /** The cells as they are written, with their quotes. */
  readonly cells: ReadonlyArray<string>
  /** The line on which the record begins. */
  readonly line: number
  /** The position of the record in `utf8`, without its line break. */
  readonly start: number
  readonly end: number
}

/**
 * A CSV table as the bytes of its file, in the encoding of the file. `changeRow` creates a new table, in which the other rows and the
 * other cells of the row keep their bytes. Rows count from 0. A record whose cells are all empty is no row.
 */
export interface EditableTable {
  readonly bytes: Buffer
  readonly columns: ReadonlyArray<string>
  /** The number of quoted cells that hold a line break and a delimiter, and so perhaps several rows. */
  readonly spanningCells: number
  readonly file: TableFile
  /** The text of the table in UTF-8, without its byte order mark. */
  readonly utf8: Buffer
  readonly header: EditableRecord
  readonly rows: ReadonlyArray<EditableRecord>
}

/**
 * Parses a table by the same grammar as the readers of rows. Fails with a message about the first fault, with its line, or if the file
 * could not be written again as it is.
 */
export const parseEditableTable = (
  bytes: Buffer,
  form: TableForm,
): E.Either<string, EditableTable> => {
  const decoded = decodeWhole(bytes, form.encoding)
  if (E.isLeft(decoded)) return decoded
  const { utf8, encoding, mark } = decoded.right
  const encode = createEncoder(encoding)
  const start = findTableStart(utf8, form)
  const table = readTable(utf8, { ...start, mark, encode })
  if (E.isLeft(table) || encoding === 'utf-8') return table
  // Some encodings have several codes for one character.
  return table.right.bytes.equals(bytes)
    ? table
    : E.left(`svc could not keep all bytes of a table in ${encoding}: save it as "CSV UTF-8"`)
}

const readTable = (utf8: Buffer, file: TableFile): E.Either<string, EditableTable> => {
  const records = readRecords(utf8, file)
  if (E.isLeft(records)) return records
  const [header, ...rows] = records.right.records
  const bytes = encodeTable(utf8, file)
  if (E.isLeft(bytes)) return bytes
  return E.right({
    bytes: bytes.right,
    columns: records.right.header?.columns.map(({ name }) => name) ?? [],
    spanningCells: rows.flatMap(({ cells }) => cells).filter((cell) => spansRows(cell, file.syntax))
      .length,
    file,
    utf8,
    header: header ?? { cells: [], line: 1, start: 0, end: 0 },
    rows,
  })
}

const encodeTable = (utf8: Buffer, { mark, encode }: TableFile): E.Either<string, Buffer> => {
  const encoded = encode(utf8.toString())
  return E.isLeft(encoded) ? encoded : E.right(Buffer.concat([mark, encoded.right]))
}

/** The header and the rows of a table. The header is also the first record. A table without text has neither. */
interface TableRecords {
  readonly header: TableHeader | undefined
  readonly records: ReadonlyArray<EditableRecord>
}

/** Reads the header and the rows. Fails with a message about the first fault. */
const readRecords = (utf8: Buffer, file: TableFile): E.Either<string, TableRecords> => {
  let header: TableHeader | undefined
  const records: EditableRecord[] = []
  for (const line of splitTable(utf8, file)) {
    const record = readRecord(line, file.syntax)
    if (record === 'blank') continue
    if (header === undefined) {
      const checked = readCheckedHeader(record, line, file)
      if (E.isLeft(checked)) return checked
      header = checked.right
    }
    const cells = readCells(record, header)
    if (E.isLeft(cells)) return E.left(`line ${line.number}: ${cells.left}`)
    const { offset: start, bytes, number } = line
    records.push({ cells: cells.right, line: number, start, end: start + bytes.length })
  }
  return E.right({ header, records })
}

/** Splits a table into its records, without a line `sep=;` at its start. */
function* splitTable(utf8: Buffer, { syntax, hasSeparatorLine }: TableFile): Generator<InputLine> {
  const { delimiter, hasQuotes } = syntax
  const splitter = createRecordSplitter(maxDocumentBytes + 1, { delimiters: delimiter, hasQuotes })
  for (const line of splitter.split(utf8)) if (!hasSeparatorLine || line.number > 1) yield line
  yield* splitter.finish()
}

const readCheckedHeader = (
  record: Exclude<TableRecord, 'blank'>,
  { number }: InputLine,
  { syntax, isDelimiterGuessed }: TableFile,
): E.Either<string, TableHeader> => {
  const header = readTableHeader(record, number, syntax)
  if (E.isLeft(header)) return header
  const checked = checkHeader(header.right, [], isDelimiterGuessed)
  if (E.isLeft(checked)) return checked
  const labelCheck = checkLabelColumns(header.right)
  return E.isLeft(labelCheck) ? labelCheck : header
}

const readCells = (
  record: Exclude<TableRecord, 'blank'>,
  { columns }: TableHeader,
): E.Either<string, ReadonlyArray<string>> => {
  if ('fault' in record) return E.left(record.fault)
  return record.cells.length === columns.length
    ? E.right(record.cells)
    : E.left(describeCellCount(record.cells.length, columns.length))
}

export const countTableRows = (table: EditableTable): number => table.rows.length

/** Returns the line on which a row begins, from 1. */
export const lineOfRow = (table: EditableTable, row: number): number => table.rows[row]?.line ?? 0

/** Returns the values of a row by column. A column that the table lacks has the value `''`. */
export const getRow = (
  table: EditableTable,
  row: number,
  columns: ReadonlyArray<string> = table.columns,
): Map<string, string> => {
  const cells = table.rows[row]?.cells ?? []
  const values = new Map<string, string>()
  for (const column of columns) {
    const cell = cells[table.columns.indexOf(column)]
    // svc guards the cells of every table that has columns for labels.
    values.set(column, unguardCell(decodeCell(cell ?? '', table.file.syntax)))
  }
  return values
}

/**
 * Creates a table with changed cells in a row. Adds columns that the table lacks at the end of each record. Fails with a message if the
 * table cannot hold a value: its encoding lacks a character, or it has no quotes.
 */
export const changeRow = (
  table: EditableTable,
  row: number,
  values: ReadonlyMap<string, string>,
): E.Either<string, EditableTable> => {
  const missingColumns = [...values.keys()].filter((column) => !table.columns.includes(column))
  const widened = missingColumns.length > 0 ? addColumns(table, missingColumns) : E.right(table)
  if (E.isLeft(widened)) return widened
  const { file, utf8, columns, rows } = widened.right
  const record = rows[row]
  if (record === undefined) return E.left(`there is no row ${row}`)
  const cells = [...record.cells]
  for (const [column, value] of values) {
    const cell = encodeCell(guardCell(value), file.syntax)
    if (E.isLeft(cell)) return cell
    cells[columns.indexOf(column)] = cell.right
  }
  const before = utf8.subarray(0, record.start)
  const changed = Buffer.from(cells.join(file.syntax.delimiter))
  return readTable(Buffer.concat([before, changed, utf8.subarray(record.end)]), file)
}

const addColumns = (
  table: EditableTable,
  addedColumns: ReadonlyArray<string>,
): E.Either<string, EditableTable> => {
  const { file, utf8, header, rows } = table
  const { delimiter } = file.syntax
  const names: string[] = []
  for (const column of addedColumns) {
    const cell = encodeCell(guardCell(column), file.syntax)
    if (E.isLeft(cell)) return cell
    names.push(cell.right)
  }
  const addedHeader = Buffer.from(names.map((name) => delimiter + name).join(''))
  const emptyCells = Buffer.from(delimiter.repeat(addedColumns.length))
  const parts = [utf8.subarray(0, header.end), addedHeader]
  let end = header.end
  for (const record of rows) {
    parts.push(utf8.subarray(end, record.end), emptyCells)
    end = record.end
  }
  return readTable(Buffer.concat([...parts, utf8.subarray(end)]), file)
}
