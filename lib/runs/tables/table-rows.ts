import * as E from 'fp-ts/Either'
import type { JsonObject } from '../../codec/json/json'
import { maxDocumentBytes, tooLargeMessage } from '../../codec/json/parse'
import { formatCount } from '../../text/table'
import { findUtf8Fault, type InputLine } from '../record/lines'
import { decodeCell, spansRows, splitCells } from './cells'
import { unguardCell } from './guards'
import { createTableHeader, type TableHeader } from './header'
import type { TableSyntax } from './records'

/** A record of a table. `blank` if all of its cells are empty: it is no row. */
export type TableRecord =
  | 'blank'
  | { readonly cells: ReadonlyArray<string> }
  | { readonly fault: string }

/**
 * Splits a record into its cells, which keep their quotes. A record has a fault if it is too large, not UTF-8, or has a quote where none
 * may be.
 */
export const readRecord = ({ bytes, isTooLong }: InputLine, syntax: TableSyntax): TableRecord => {
  if (bytes.length === 0) return 'blank'
  if (isTooLong || bytes.length > maxDocumentBytes) return { fault: tooLargeMessage }
  const utf8Fault = findUtf8Fault(bytes)
  if (utf8Fault !== undefined) return { fault: `invalid CSV: ${utf8Fault}` }
  const cells = splitCells(bytes.toString(), syntax)
  if (E.isLeft(cells)) return { fault: `invalid CSV: ${cells.left}` }
  const isEmpty = (cell: string): boolean => cell === '' || decodeCell(cell, syntax) === ''
  return cells.right.every(isEmpty) ? 'blank' : { cells: cells.right }
}

/** Reads the header of a table from its first record that is not blank. Fails with a message that has its line. */
export const readTableHeader = (
  record: Exclude<TableRecord, 'blank'>,
  line: number,
  syntax: TableSyntax,
): E.Either<string, TableHeader> =>
  'fault' in record
    ? E.left(`line ${line}: the CSV header: ${record.fault.replace(/^invalid CSV: /, '')}`)
    : E.right(createTableHeader(record.cells.map((cell) => decodeCell(cell, syntax))))

/** Reads the rows of a table below its header. */
export class TableRowReader {
  /** The number of quoted cells with a line break and a delimiter in the rows that were read. */
  spanningCells = 0

  constructor(
    private readonly syntax: TableSyntax,
    private readonly header: TableHeader,
  ) {}

  /** Reads the row of a record; `blank` if it is none. A row whose number of cells is not that of the header has a fault. */
  read(line: InputLine): 'blank' | { readonly row: JsonObject } | { readonly fault: string } {
    const record = readRecord(line, this.syntax)
    if (record === 'blank' || 'fault' in record) return record
    const { cells } = record
    const { columns } = this.header
    if (cells.length !== columns.length)
      return { fault: describeCellCount(cells.length, columns.length) }
    const row: JsonObject = new Map()
    for (let index = 0; index < columns.length; index++) {
      const text = this.decode(cells[index] as string)
      const column = columns[index]
      if (column !== undefined && (column.isNamed || text !== '')) row.set(column.name, text)
    }
    return { row }
  }

  private decode(cell: string): string {
    const text = decodeCell(cell, this.syntax)
    // Only a quoted cell can be shorter without its quotes.
    const isQuoted = text.length < cell.length
    if (isQuoted && spansRows(cell, this.syntax)) this.spanningCells += 1
    return this.header.isGuarded ? unguardCell(text) : text
  }
}

/** Explains that a record has another number of cells than the header. */
export const describeCellCount = (count: number, columnCount: number): string =>
  `${formatCount(count, 'field')}, the header has ${columnCount}`

/** Formats a remark for stderr about cells that probably hold several rows; `undefined` if there are none. */
export const describeSpanningCells = (name: string, count: number): string | undefined =>
  count === 0
    ? undefined
    : `${name}: ${formatCount(count, 'quoted cell', 'holds', 'hold')} line breaks and delimiters; if quotes are ordinary characters in this table, pass --no-quotes`
