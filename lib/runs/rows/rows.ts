import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Draft, toJson } from '../../codec/json/draft'
import { exceedsMaxBytes, maxDocumentBytes, parseJson } from '../../codec/json/parse'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { suggest } from '../../failure/suggestion'
import { formatCount } from '../../failure/text/table'
import { reasonOf } from '../../runtime/node/error-reason'
import { dropMark, isBlank, type Line, type Pieces, splitLines } from '../record/lines'
import type { Source } from '../record/source'
import { parseFields, splitRecords } from './csv'
import { guessDelimiter, readCsvHeader } from './delimiter'
import type { Format } from './form'
import { divideRow, type Fields, namedFields, type Parts, type Row } from './row'
import { decodeChunks, findUtf8Fault, type TextForm } from './text'

/** The most bytes of a line that do not belong to its row: a byte order mark and a carriage return. */
const around = 4

interface RowSource extends Source, TextForm {
  readonly format: Format
  /** What the rows are, for messages: `rows` unless it says something else. */
  readonly what?: 'labels'
}

/**
 * Opens an input. Fails with a usage error if it cannot be read, or if a CSV header lacks a column. A fault of a row is
 * reported in that row. The generator throws what reading throws.
 */
export const openRows = (
  source: RowSource & { readonly fields: Fields },
): TE.TaskEither<Failure, AsyncGenerator<Row>> => {
  const { name, format, fields, signal, what = 'rows' } = source
  return pipe(
    TE.tryCatch(
      async () => {
        const { lines, delimiter } = await readNonBlank(source)
        return { lines, delimiter, first: await lines.next() }
      },
      (error) =>
        signal.aborted ? interrupted : usage(`read ${what}: ${name}: ${reasonOf(error)}`),
    ),
    TE.chainEitherK(({ lines, delimiter, first }) => {
      if (first.done) return E.right(readRows(undefined, lines, () => ({ fault: '' })))
      if (format === 'jsonl')
        return E.right(readRows(first.value, lines, (line) => readJsonRow(line, fields)))
      if (format === 'lines') return E.right(readRows(first.value, lines, readTextRow))
      return pipe(
        readColumns(first.value, delimiter, fields),
        E.bimap(
          (why) => usage(`read ${what}: ${name}: ${why}`, 'column'),
          (columns) =>
            readRows(undefined, lines, (line) => readCsvRow(line, delimiter, columns, fields)),
        ),
      )
    }),
  )
}

/**
 * Decodes an input, and splits it into the lines or CSV records that are rows, without blank ones. Once `signal` fires, a
 * line without an end is dropped: its rest may never have been read.
 */
const readNonBlank = async ({ chunks, format, encoding, delimiter, signal }: RowSource) => {
  const text = decodeChunks(chunks, encoding)
  const maxBytes = maxDocumentBytes + around
  if (format !== 'csv')
    return { lines: dropBlank(splitLines(text, maxBytes), format, signal), delimiter: ',' }
  const { header, chunks: whole } = await readCsvHeader(text)
  const between = delimiter ?? guessDelimiter(header)
  const records = splitRecords(whole, maxBytes, between)
  return { lines: dropBlank(records, format, signal), delimiter: between }
}

async function* dropBlank(
  pieces: Pieces,
  format: Format,
  signal: AbortSignal,
): AsyncGenerator<Line, void, undefined> {
  const isEmpty = ({ bytes }: Line): boolean =>
    format === 'jsonl' ? isBlank(bytes) : dropReturn(bytes).length === 0
  for await (const lines of pieces)
    for (const line of lines) {
      if (!line.ended && signal.aborted) return
      const marked = { ...line, bytes: dropMark(line) }
      if (line.tooLong || !isEmpty(marked)) yield marked
    }
}

/** Counts the rows of an input without looking into them. Rejects where reading does. */
export const countRows = async (source: RowSource): Promise<number> => {
  let count = source.format === 'csv' ? -1 : 0
  const { lines } = await readNonBlank(source)
  for await (const _ of lines) count += 1
  return Math.max(0, count)
}

const isTooLong = ({ bytes, tooLong }: Line): boolean =>
  tooLong || dropReturn(bytes).length > maxDocumentBytes

/** Removes the carriage return at the end of a line, as in files from Windows. */
const dropReturn = (bytes: Buffer): Buffer =>
  bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes

async function* readRows(
  first: Line | undefined,
  lines: AsyncIterable<Line>,
  read: (line: Line) => Parts,
): AsyncGenerator<Row, void, undefined> {
  let index = 0
  const row = (line: Line): Row => ({
    index: index++,
    line: line.number,
    ...(isTooLong(line) ? { fault: exceedsMaxBytes } : read(line)),
  })
  if (first !== undefined) yield row(first)
  for await (const line of lines) yield row(line)
}

const readJsonRow = ({ bytes }: Line, fields: Fields): Parts => {
  const fault = findUtf8Fault(bytes)
  if (fault !== undefined) return { fault: `invalid JSON: ${fault}` }
  const parsed = parseJson(bytes)
  return E.isLeft(parsed)
    ? { fault: `invalid JSON: ${parsed.left.message.replace(/^line \d+, /, '')}` }
    : divideRow(parsed.right, fields)
}

const readTextRow = ({ bytes }: Line): Parts => {
  const fault = findUtf8Fault(bytes)
  return fault === undefined ? { state: dropReturn(bytes).toString('utf8') } : { fault }
}

const readCsvRow = (
  { bytes }: Line,
  delimiter: string,
  columns: ReadonlyArray<string>,
  fields: Fields,
): Parts => {
  const read = parseFields(dropReturn(bytes), delimiter)
  if (E.isLeft(read)) return { fault: `invalid CSV: ${read.left}` }
  if (read.right.length !== columns.length)
    return { fault: `${formatCount(read.right.length, 'field')}, the header has ${columns.length}` }
  const entries = columns.map((name, index) => [name, read.right[index] ?? ''] as const)
  return divideRow(toJson(new Map<string, Draft>(entries)), fields)
}

/** Reads the columns of a CSV header. Fails with what is wrong with it. */
const readColumns = (
  header: Line,
  delimiter: string,
  fields: Fields,
): E.Either<string, ReadonlyArray<string>> =>
  pipe(
    isTooLong(header) ? E.left(exceedsMaxBytes) : parseFields(dropReturn(header.bytes), delimiter),
    E.mapLeft((why) => `line ${header.number}: the CSV header: ${why}`),
    E.chain((columns) => {
      const [only = '', ...more] = columns
      if (more.length === 0 && delimiter !== '|' && only.includes('|'))
        return E.left(`the CSV header is one column, "${only}": pass --delimiter '|'`)
      const names = new Set<string>()
      for (const name of columns) {
        if (names.has(name)) return E.left(`the CSV header has the column "${name}" twice`)
        names.add(name)
      }
      const lacking = namedFields(fields).find((name) => !names.has(name))
      return lacking === undefined
        ? E.right(columns)
        : E.left(`the CSV header has no column "${lacking}"${suggest(lacking, columns)}`)
    }),
  )

/** Selects the rows of a run: the first `limit`, and of those the ones of a shard. */
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

/** One of `of` parts of an input. */
export interface Shard {
  /** From 1. */
  readonly number: number
  readonly of: number
}
