import { CsvError, parse } from 'csv-parse/sync'
import * as E from 'fp-ts/Either'
import { plainText } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import { type Pieces, splitPieces } from '../record/lines'
import { findUtf8Fault } from './text'

const quote = 0x22
const newline = 0x0a
const carriageReturn = 0x0d

/**
 * The UTF-8 byte order mark with which an input may begin. It is skipped, so that a quote after it opens
 * a field.
 */
const mark = [0xef, 0xbb, 0xbf]

/** Where in a field the next byte is: at its start, in plain text, inside quotes, or after a closing quote. */
type Place = 'start' | 'plain' | 'quoted' | 'closed'

/**
 * Splits CSV into records at newlines, with one ASCII character between fields; a newline inside a quoted field does not end a
 * record. It only looks for the ends: csv-parse later decides whether a record is well formed. Of a record over
 * `limit` bytes only the beginning is kept.
 */
export const splitRecords = (
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  delimiter: string,
): Pieces => {
  const delimiterByte = delimiter.charCodeAt(0)
  let place: Place = 'start'
  let marked = 0
  return splitPieces(chunks, limit, (chunk, from) => {
    let inside = 0
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (byte === mark[marked]) {
        marked += 1
        continue
      }
      marked = mark.length
      if (byte === newline && place !== 'quoted') {
        place = 'start'
        return { at, inside }
      }
      if (byte === newline) inside += 1
      place = nextPlace(place, byte, delimiterByte)
    }
    return { at: -1, inside }
  })
}

const nextPlace = (place: Place, byte: number, delimiter: number): Place => {
  if (place === 'quoted') return byte === quote ? 'closed' : 'quoted'
  if (byte === delimiter) return 'start'
  if (byte === quote && place !== 'plain') return 'quoted'
  return place === 'closed' && byte === carriageReturn ? 'closed' : 'plain'
}

/** Reads the fields of one CSV record. Fails with the reason if it is malformed. */
export const parseFields = (
  record: Buffer,
  delimiter = ',',
): E.Either<string, ReadonlyArray<string>> => {
  const fault = findUtf8Fault(record)
  if (fault !== undefined) return E.left(fault)
  try {
    const [fields = ['']]: ReadonlyArray<ReadonlyArray<string>> = parse(record, {
      delimiter,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
    })
    return E.right(fields)
  } catch (error) {
    return E.left(describeFault(error))
  }
}

/** The fault in words of this program, since the library's messages repeat the fields. */
const describeFault = (error: unknown): string => {
  switch (error instanceof CsvError ? error.code : undefined) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted field is not closed'
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'a closing quote is not followed by a delimiter or the end of the record'
    case 'INVALID_OPENING_QUOTE':
      return 'a quote stands inside a field that does not begin with one'
    default:
      return 'it is not well-formed CSV'
  }
}

/** The cells of a row for a table, by column: texts as they are, other values as JSON. */
export const cellsOf = (row: JsonValue): ReadonlyArray<readonly [column: string, cell: string]> =>
  row instanceof Map
    ? Array.from(row, ([column, value]) => [column, plainText(value)] as const)
    : [['row', plainText(row)]]

/**
 * Whether a spreadsheet would take a cell for a formula, also if the sign is a full-width one. Numbers such as `-1` are
 * none.
 */
const isFormula = (cell: string): boolean =>
  /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) &&
  !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell)

/** Whether a cell is a formula, or a formula behind guards. */
const takesGuard = (cell: string): boolean => isFormula(cell.replace(/^'+/, ''))

/** Puts `'` before a cell that a spreadsheet would run as a formula, and before one that has such a guard. */
export const guardCell = (cell: string): string => (takesGuard(cell) ? `'${cell}` : cell)

/** Takes that `'` off again. */
export const unguardCell = (cell: string): string =>
  cell.startsWith("'") && takesGuard(cell) ? cell.slice(1) : cell

/** Writes a line of CSV with its newline, quoted where needed and guarded against formulas. RFC 4180 */
export const writeCsvLine = (cells: ReadonlyArray<string>): string =>
  `${cells.map((cell) => quoteCell(guardCell(cell))).join(',')}\n`

const quoteCell = (cell: string): string =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
