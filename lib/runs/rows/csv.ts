import { CsvError, parse } from 'csv-parse/sync'
import * as E from 'fp-ts/Either'
import { plainText } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import { findUtf8Fault, type LineStream, splitAtNewlines } from '../record/lines'

const quote = 0x22
const newline = 0x0a
const carriageReturn = 0x0d

/** The UTF-8 byte order mark, with which an input may begin. A quote after it opens a field. */
const byteOrderMark = [0xef, 0xbb, 0xbf]

/** The position in a field: at its start, in unquoted text, inside quotes, or after a quote that may close the field. */
type FieldPosition = 'start' | 'unquoted' | 'quoted' | 'closed'

/**
 * Splits CSV into records, at newlines that are not inside a quoted field. `delimiter` is one ASCII character. Does not validate the
 * records: `parseFields` does that. Stores only the beginning of a record that is longer than `maxBytes`.
 */
export const splitRecords = (
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  delimiter: string,
): LineStream => {
  const delimiterByte = delimiter.charCodeAt(0)
  let position: FieldPosition = 'start'
  // The number of bytes of a byte order mark that were skipped. It is 3 once the mark, or any other byte, has been read. No byte
  // equals `byteOrderMark[3]`, which is undefined, so nothing is skipped after that.
  let skippedMarkBytes = 0
  return splitAtNewlines(chunks, maxBytes, (chunk, from) => {
    let innerNewlines = 0
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index] as number
      if (byte === byteOrderMark[skippedMarkBytes]) {
        skippedMarkBytes += 1
        continue
      }
      skippedMarkBytes = byteOrderMark.length
      if (byte === newline && position !== 'quoted') {
        position = 'start'
        return { index, innerNewlines }
      }
      if (byte === newline) innerNewlines += 1
      position = advance(position, byte, delimiterByte)
    }
    return { index: undefined, innerNewlines }
  })
}

/** Returns the position after a byte. A quote inside quotes closes the field. A second quote, directly after it, opens the field again. */
const advance = (position: FieldPosition, byte: number, delimiter: number): FieldPosition => {
  if (position === 'quoted') return byte === quote ? 'closed' : 'quoted'
  if (byte === delimiter) return 'start'
  if (byte === quote && position !== 'unquoted') return 'quoted'
  return position === 'closed' && byte === carriageReturn ? 'closed' : 'unquoted'
}

/** Parses the fields of one CSV record. Fails with a message if it is invalid. */
export const parseFields = (
  csvRecord: Buffer,
  delimiter = ',',
): E.Either<string, ReadonlyArray<string>> => {
  const fault = findUtf8Fault(csvRecord)
  if (fault !== undefined) return E.left(fault)
  try {
    // csv-parse returns no record for an empty text, which has one empty field.
    const [fields = ['']]: ReadonlyArray<ReadonlyArray<string>> = parse(csvRecord, {
      delimiter,
      record_delimiter: ['\r\n', '\n'],
      // The reader of rows reports a wrong number of fields itself.
      relax_column_count: true,
    })
    return E.right(fields)
  } catch (error) {
    return E.left(describeParseError(error))
  }
}

/** Describes an error of csv-parse, whose own messages would repeat the fields, which may be private. */
const describeParseError = (error: unknown): string => {
  switch (error instanceof CsvError ? error.code : undefined) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted field is not closed'
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'a closing quote is not followed by a delimiter or the end of the record'
    case 'INVALID_OPENING_QUOTE':
      return 'a quote is inside a field that does not begin with a quote'
    default:
      return 'it is not well-formed CSV'
  }
}

/** Returns the cells of a row for a table, by column. Texts are unchanged, other values are JSON. */
export const formatCells = (
  row: JsonValue,
): ReadonlyArray<readonly [column: string, cell: string]> =>
  row instanceof Map
    ? Array.from(row, ([column, value]) => [column, plainText(value)] as const)
    : [['row', plainText(row)]]

/**
 * Returns `true` if a spreadsheet would run a cell as a formula, such as `=1+1` or `-x`. Full-width signs such as `＝` also begin a
 * formula. A number such as `-1.5e3` is no formula.
 */
const isFormula = (cell: string): boolean =>
  /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) &&
  !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell)

/** Returns `true` for a formula, and for a formula that already has guards, such as `'=1+1`. */
const needsGuard = (cell: string): boolean => isFormula(cell.replace(/^'+/, ''))

/**
 * Puts the guard `'` before a formula, so a spreadsheet shows it as text. A formula that already has guards gets one more, so that
 * `unguardCell` restores it.
 */
export const guardCell = (cell: string): string => (needsGuard(cell) ? `'${cell}` : cell)

/** Removes the guard that `guardCell` put before a cell. */
export const unguardCell = (cell: string): string =>
  cell.startsWith("'") && needsGuard(cell) ? cell.slice(1) : cell

/** Formats a line of CSV (RFC 4180) with its newline, quoted if necessary and guarded against formulas. */
export const formatCsvLine = (cells: ReadonlyArray<string>): string =>
  `${cells.map((cell) => quoteCell(guardCell(cell))).join(',')}\n`

const quoteCell = (cell: string): string =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
