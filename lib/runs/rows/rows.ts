import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { type Draft, toJson } from '../../codec/json/draft'
import { exceedsMaxBytes, maxDocumentBytes, parseJson } from '../../codec/json/parse'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { suggest } from '../../failure/suggestion'
import { formatCount } from '../../failure/text/table'
import { reasonOf } from '../../runtime/node/error-reason'
import { dropMark, type InputLine, isBlank, type LineStream, splitLines } from '../record/lines'
import type { StreamSource } from '../record/source'
import { parseFields, splitRecords } from './csv'
import { guessDelimiter, readCsvHeader } from './delimiter'
import type { RowFormat } from './form'
import { divideRow, listFieldNames, type Row, type RowContent, type RowFields } from './row'
import { decodeChunks, findUtf8Fault, type TextForm } from './text'

/** The maximum size of a byte order mark and a carriage return, which do not count as a part of the row. */
const maxFramingBytes = 4

interface RowSource extends StreamSource, TextForm {
  readonly format: RowFormat
  /** Names the content of the input in messages; `rows` by default. */
  readonly what?: 'labels'
}

/**
 * Opens an input. Fails with a usage error if it is unreadable, or if a CSV header lacks a column. An invalid row has a `fault`. The
 * generator throws errors of reading.
 */
export const openRows =
  (
    source: RowSource & { readonly fields: RowFields },
  ): TE.TaskEither<Failure, AsyncGenerator<Row>> =>
  async () => {
    const { name, format, fields, signal, what = 'rows' } = source
    const fail = (why: string, code?: 'column') =>
      E.left(usage(`read ${what}: ${name}: ${why}`, code))
    const started = await TE.tryCatch(() => startLines(source), reasonOf)()
    if (E.isLeft(started)) return signal.aborted ? E.left(interrupted) : fail(started.left)
    const { lines, delimiter, first } = started.right
    if (first === undefined) return E.right(readRows([], lines, () => ({})))
    if (format === 'jsonl')
      return E.right(readRows([first], lines, (line) => readJsonRow(line, fields)))
    if (format === 'lines') return E.right(readRows([first], lines, readTextRow))
    const columns = readColumns(first, delimiter, fields)
    if (E.isLeft(columns)) return fail(columns.left, 'column')
    return E.right(
      readRows([], lines, (line) => readCsvRow(line, delimiter, columns.right, fields)),
    )
  }

/** Reads up to the first line, which may be a CSV header. */
const startLines = async (source: RowSource) => {
  const { lines, delimiter } = await openLines(source)
  const first = await lines.next()
  return { lines, delimiter, first: first.done ? undefined : first.value }
}

/**
 * Decodes an input and splits it into lines or CSV records, without blank ones. After `signal` has fired, drops a last line without
 * a newline, because it may be incomplete.
 */
const openLines = async ({ chunks, format, encoding, delimiter, signal }: RowSource) => {
  const text = decodeChunks(chunks, encoding)
  const maxBytes = maxDocumentBytes + maxFramingBytes
  if (format !== 'csv')
    return { lines: dropBlank(splitLines(text, maxBytes), format, signal), delimiter: ',' }
  const { header, chunks: allChunks } = await readCsvHeader(text)
  const usedDelimiter = delimiter ?? guessDelimiter(header)
  const records = splitRecords(allChunks, maxBytes, usedDelimiter)
  return { lines: dropBlank(records, format, signal), delimiter: usedDelimiter }
}

async function* dropBlank(
  stream: LineStream,
  format: RowFormat,
  signal: AbortSignal,
): AsyncGenerator<InputLine, void, undefined> {
  const isEmpty = ({ bytes }: InputLine): boolean =>
    format === 'jsonl' ? isBlank(bytes) : dropReturn(bytes).length === 0
  for await (const lines of stream)
    for (const line of lines) {
      if (!line.hasNewline && signal.aborted) return
      const unmarked = { ...line, bytes: dropMark(line) }
      if (line.isTooLong || !isEmpty(unmarked)) yield unmarked
    }
}

/** Counts the rows of an input without decoding them. Rejects if the input is unreadable. */
export const countRows = async (source: RowSource): Promise<number> => {
  let count = source.format === 'csv' ? -1 : 0
  const { lines } = await openLines(source)
  for await (const _ of lines) count += 1
  return Math.max(0, count)
}

const isTooLong = (line: InputLine): boolean =>
  line.isTooLong || dropReturn(line.bytes).length > maxDocumentBytes

/** Removes the carriage return of a Windows line break. */
const dropReturn = (bytes: Buffer): Buffer =>
  bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes

async function* readRows(
  firstLines: ReadonlyArray<InputLine>,
  lines: AsyncIterable<InputLine>,
  read: (line: InputLine) => RowContent,
): AsyncGenerator<Row, void, undefined> {
  let index = 0
  const readRow = (line: InputLine): Row => ({
    index: index++,
    line: line.number,
    ...(isTooLong(line) ? { fault: exceedsMaxBytes } : read(line)),
  })
  for (const line of firstLines) yield readRow(line)
  for await (const line of lines) yield readRow(line)
}

const readJsonRow = ({ bytes }: InputLine, fields: RowFields): RowContent => {
  const fault = findUtf8Fault(bytes)
  if (fault !== undefined) return { fault: `invalid JSON: ${fault}` }
  const parsed = parseJson(bytes)
  return E.isLeft(parsed)
    ? { fault: `invalid JSON: ${parsed.left.message.replace(/^line \d+, /, '')}` }
    : divideRow(parsed.right, fields)
}

const readTextRow = ({ bytes }: InputLine): RowContent => {
  const fault = findUtf8Fault(bytes)
  return fault === undefined ? { state: dropReturn(bytes).toString('utf8') } : { fault }
}

const readCsvRow = (
  { bytes }: InputLine,
  delimiter: string,
  columns: ReadonlyArray<string>,
  fields: RowFields,
): RowContent => {
  const parsed = parseFields(dropReturn(bytes), delimiter)
  if (E.isLeft(parsed)) return { fault: `invalid CSV: ${parsed.left}` }
  const cells = parsed.right
  if (cells.length !== columns.length)
    return { fault: `${formatCount(cells.length, 'field')}, the header has ${columns.length}` }
  const entries = columns.map((name, index) => [name, cells[index] ?? ''] as const)
  return divideRow(toJson(new Map<string, Draft>(entries)), fields)
}

/** Reads the columns of a CSV header. Fails with the first fault. */
const readColumns = (
  header: InputLine,
  delimiter: string,
  fields: RowFields,
): E.Either<string, ReadonlyArray<string>> => {
  const parsed = isTooLong(header)
    ? E.left(exceedsMaxBytes)
    : parseFields(dropReturn(header.bytes), delimiter)
  if (E.isLeft(parsed)) return E.left(`line ${header.number}: the CSV header: ${parsed.left}`)
  const columns = parsed.right
  const fault = findHeaderFault(columns, delimiter, fields)
  return fault === undefined ? E.right(columns) : E.left(fault)
}

const findHeaderFault = (
  columns: ReadonlyArray<string>,
  delimiter: string,
  fields: RowFields,
): string | undefined => {
  const [first = '', ...more] = columns
  if (more.length === 0 && delimiter !== '|' && first.includes('|'))
    return `the CSV header is one column, "${first}": pass --delimiter '|'`
  const names = new Set<string>()
  for (const name of columns) {
    if (names.has(name)) return `the CSV header has the column "${name}" twice`
    names.add(name)
  }
  const missing = listFieldNames(fields).find((name) => !names.has(name))
  return missing === undefined
    ? undefined
    : `the CSV header has no column "${missing}"${suggest(missing, columns)}`
}

/** Selects the first `limit` rows, and of these the rows of `shard`. Without a limit or shard, selects all. */
export async function* selectRows(
  rows: AsyncIterable<Row>,
  limit: number | undefined,
  shard: Shard | undefined,
): AsyncGenerator<Row, void, undefined> {
  if (limit === 0) return
  for await (const row of rows) {
    if (shard === undefined || row.index % shard.of === shard.number - 1) yield row
    if (limit !== undefined && row.index + 1 >= limit) return
  }
}

/** A part of an input: every n-th row. */
export interface Shard {
  /** The number of the part, from 1. */
  readonly number: number
  /** The number of parts. */
  readonly of: number
}
