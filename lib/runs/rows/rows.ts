import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { type Draft, toJson } from '../../codec/json/draft'
import { maxDocumentBytes, parseJson, tooLargeMessage } from '../../codec/json/parse'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import { suggest } from '../../text/suggestion'
import { formatCount } from '../../text/table'
import {
  dropByteOrderMark,
  findUtf8Fault,
  type InputLine,
  isBlank,
  type LineStream,
  type StreamSource,
  splitLines,
} from '../record/lines'
import { parseFields, splitRecords } from './csv'
import { guessDelimiter, readCsvHeader } from './delimiter'
import type { RowFormat } from './form'
import { divideRow, listFieldNames, type Row, type RowContent, type RowFields } from './row'
import { decodeChunks, type TextForm } from './text'

/** The size of a byte order mark (3 bytes) and a carriage return (1 byte), which do not count as a part of the row. */
const maxFramingBytes = 4

/** An input with rows. */
interface RowSource extends StreamSource, TextForm {
  readonly format: RowFormat
  /** The name of the content in messages; `rows` by default. */
  readonly contentName?: 'labels'
}

/**
 * Opens an input and reads its first line. Fails with a usage error if the input is unreadable, or if a CSV header is invalid or lacks
 * a column of `fields`. If the input is unreadable after `signal` has fired, fails as interrupted. The generator yields the rows. An
 * invalid row has a `fault`. The generator throws if the input becomes unreadable.
 */
export const openRows = async (
  source: RowSource & { readonly fields: RowFields },
): Promise<E.Either<Failure, AsyncGenerator<Row>>> => {
  const { name, format, fields, signal, contentName = 'rows' } = source
  const fail = (reason: string, code?: 'column') =>
    E.left(usage(`read ${contentName}: ${name}: ${reason}`, code))
  const started = await TE.tryCatch(() => startLines(source), reasonOf)()
  if (E.isLeft(started)) return signal.aborted ? E.left(interrupted) : fail(started.left)
  const { lines, delimiter, firstLine } = started.right
  // An empty input has no rows, so the reader of their content is never called.
  if (firstLine === undefined) return E.right(readRows([], lines, readTextRow))
  if (format === 'lines') return E.right(readRows([firstLine], lines, readTextRow))
  if (format === 'jsonl')
    return E.right(readRows([firstLine], lines, (line) => readJsonRow(line, fields)))
  const columns = readColumns(firstLine, delimiter, fields)
  if (E.isLeft(columns)) return fail(columns.left, 'column')
  return E.right(readRows([], lines, (line) => readCsvRow(line, delimiter, columns.right, fields)))
}

/** Opens an input and reads its first line, which is the header if the format is CSV; `undefined` if the input is empty. */
const startLines = async (source: RowSource) => {
  const { lines, delimiter } = await openLines(source)
  const first = await lines.next()
  return { lines, delimiter, firstLine: first.done ? undefined : first.value }
}

/**
 * Decodes an input and splits it into lines or CSV records, without blank ones. After `signal` has fired, drops a last line without
 * a newline, because it may be incomplete.
 */
const openLines = async ({ chunks, format, encoding, delimiter, signal }: RowSource) => {
  const text = decodeChunks(chunks, encoding)
  const maxBytes = maxDocumentBytes + maxFramingBytes
  if (format !== 'csv') {
    const unusedDelimiter = ','
    const lines = dropBlankLines(splitLines(text, maxBytes), format, signal)
    return { lines, delimiter: unusedDelimiter }
  }
  const { header, chunks: allChunks } = await readCsvHeader(text)
  const usedDelimiter = delimiter ?? guessDelimiter(header)
  const records = splitRecords(allChunks, maxBytes, usedDelimiter)
  return { lines: dropBlankLines(records, format, signal), delimiter: usedDelimiter }
}

/** Yields the lines that are not blank, without a byte order mark. A line of whitespace is blank only in JSONL. */
async function* dropBlankLines(
  stream: LineStream,
  format: RowFormat,
  signal: AbortSignal,
): AsyncGenerator<InputLine, void, undefined> {
  const isBlankLine = ({ bytes }: InputLine): boolean =>
    format === 'jsonl' ? isBlank(bytes) : dropCarriageReturn(bytes).length === 0
  for await (const lines of stream)
    for (const line of lines) {
      if (!line.hasNewline && signal.aborted) return
      const lineWithoutMark = { ...line, bytes: dropByteOrderMark(line) }
      if (line.isTooLong || !isBlankLine(lineWithoutMark)) yield lineWithoutMark
    }
}

/** Counts the rows of an input without decoding them. Rejects if the input is unreadable. */
export const countRows = async (source: RowSource): Promise<number> => {
  let lineCount = 0
  const { lines } = await openLines(source)
  for await (const _ of lines) lineCount += 1
  const hasHeader = source.format === 'csv' && lineCount > 0
  return hasHeader ? lineCount - 1 : lineCount
}

/** Returns `true` if a line, without its carriage return, is longer than a row may be: 16 MiB. */
const exceedsRowLimit = (line: InputLine): boolean =>
  line.isTooLong || dropCarriageReturn(line.bytes).length > maxDocumentBytes

/** Removes the carriage return of a Windows line break. */
const dropCarriageReturn = (bytes: Buffer): Buffer =>
  bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes

/** Reads a row from each line. `firstLines` are those that were already taken from `lines`. */
async function* readRows(
  firstLines: ReadonlyArray<InputLine>,
  lines: AsyncIterable<InputLine>,
  readContent: (line: InputLine) => RowContent,
): AsyncGenerator<Row, void, undefined> {
  let index = 0
  const readRow = (line: InputLine): Row => ({
    index: index++,
    line: line.number,
    ...(exceedsRowLimit(line) ? { fault: tooLargeMessage } : readContent(line)),
  })
  for (const line of firstLines) yield readRow(line)
  for await (const line of lines) yield readRow(line)
}

const readJsonRow = ({ bytes }: InputLine, fields: RowFields): RowContent => {
  const fault = findUtf8Fault(bytes)
  if (fault !== undefined) return { fault: `invalid JSON: ${fault}` }
  const parsed = parseJson(bytes)
  if (E.isRight(parsed)) return divideRow(parsed.right, fields)
  // Removes `line 1` from a message such as `line 1, column 5: …`, because a row is always a single line.
  return { fault: `invalid JSON: ${parsed.left.message.replace(/^line \d+, /, '')}` }
}

const readTextRow = ({ bytes }: InputLine): RowContent => {
  const fault = findUtf8Fault(bytes)
  return fault === undefined ? { state: dropCarriageReturn(bytes).toString('utf8') } : { fault }
}

const readCsvRow = (
  { bytes }: InputLine,
  delimiter: string,
  columns: ReadonlyArray<string>,
  fields: RowFields,
): RowContent => {
  const parsed = parseFields(dropCarriageReturn(bytes), delimiter)
  if (E.isLeft(parsed)) return { fault: `invalid CSV: ${parsed.left}` }
  const cells = parsed.right
  if (cells.length !== columns.length)
    return { fault: `${formatCount(cells.length, 'field')}, the header has ${columns.length}` }
  // There are as many cells as columns, so the `''` never matters.
  const entries = columns.map((name, index) => [name, cells[index] ?? ''] as const)
  return divideRow(toJson(new Map<string, Draft>(entries)), fields)
}

/** Reads the columns of a CSV header. Fails with a message about the first fault. */
const readColumns = (
  header: InputLine,
  delimiter: string,
  fields: RowFields,
): E.Either<string, ReadonlyArray<string>> => {
  const parsed = exceedsRowLimit(header)
    ? E.left(tooLargeMessage)
    : parseFields(dropCarriageReturn(header.bytes), delimiter)
  if (E.isLeft(parsed)) return E.left(`line ${header.number}: the CSV header: ${parsed.left}`)
  const columns = parsed.right
  const fault = findHeaderFault(columns, delimiter, fields)
  return fault === undefined ? E.right(columns) : E.left(fault)
}

/** Returns a message if a header has a column twice, lacks a column of `fields`, or seems to have the delimiter `|`. */
const findHeaderFault = (
  columns: ReadonlyArray<string>,
  delimiter: string,
  fields: RowFields,
): string | undefined => {
  const [firstColumn = ''] = columns
  const isSingleColumn = columns.length === 1
  if (isSingleColumn && delimiter !== '|' && firstColumn.includes('|'))
    return `the CSV header is one column, "${firstColumn}": pass --delimiter '|'`
  const names = new Set<string>()
  for (const name of columns) {
    if (names.has(name)) return `the CSV header has the column "${name}" twice`
    names.add(name)
  }
  const missingColumn = listFieldNames(fields).find((name) => !names.has(name))
  return missingColumn === undefined
    ? undefined
    : `the CSV header has no column "${missingColumn}"${suggest(missingColumn, columns)}`
}

/** A part of an input: every `count`-th row, from the row with the index `number - 1` on. */
export interface Shard {
  /** The number of the part, from 1. */
  readonly number: number
  /** The number of parts. */
  readonly count: number
}

/** Selects the first `limit` rows, and of these the rows of `shard`. Without a limit or shard, selects all. */
export async function* selectRows(
  rows: AsyncIterable<Row>,
  limit: number | undefined,
  shard: Shard | undefined,
): AsyncGenerator<Row, void, undefined> {
  if (limit === 0) return
  for await (const row of rows) {
    if (shard === undefined || row.index % shard.count === shard.number - 1) yield row
    // Does not wait for a row after the last one, which a pipe may send much later.
    if (limit !== undefined && row.index + 1 >= limit) return
  }
}
