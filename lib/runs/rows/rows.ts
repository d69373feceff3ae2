import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { maxDocumentBytes, parseJson, tooLargeMessage } from '../../codec/json/parse'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import { decodeChunks } from '../../text/encoding'
import {
  findUtf8Fault,
  type InputLine,
  isBlank,
  type LineStream,
  type StreamSource,
  splitLines,
  splitStream,
} from '../record/lines'
import { checkHeader, checkLabelColumns, type TableHeader } from '../tables/header'
import { createAnyLineSplitter, createRecordSplitter, type TableSyntax } from '../tables/records'
import { readRecord, readTableHeader, TableRowReader } from '../tables/table-rows'
import { readTableStart } from '../tables/table-start'
import type { RowForm } from './form'
import { type ArrayElement, readArrayOrLines } from './json-array'
import { divideRow, listFieldNames, type Row, type RowContent, type RowFields } from './row'

/** A line may have a carriage return more than a row may have bytes. */
const maxLineBytes = maxDocumentBytes + 1

/** An input with rows. */
interface RowSource extends StreamSource, RowForm {
  /** The name of the content in messages; `rows` by default. Labels are refused if two columns have those of one question. */
  readonly contentName?: 'labels'
}

/** An input whose rows are being read. */
export interface OpenedRows {
  /** The rows. An invalid row has a `fault`. The generator throws if the input becomes unreadable. */
  readonly rows: AsyncGenerator<Row, void, undefined>
  /** The header if the input is a table. */
  readonly header: TableHeader | undefined
  /** Returns the number of quoted cells so far that hold a line break and a delimiter, and so perhaps several rows. */
  readonly countSpanningCells: () => number
}

interface RowOptions {
  readonly fields: RowFields
  /** More columns that a table must have, once. */
  readonly namedColumns?: ReadonlyArray<string>
}

/**
 * Opens an input, and reads its header if it is a table. Fails with a usage error if the input is unreadable, or if a CSV header is
 * invalid or lacks a column of `fields`. If the input is unreadable after `signal` has fired, fails as interrupted.
 */
export const openRows = async (
  source: RowSource & RowOptions,
): Promise<E.Either<Failure, OpenedRows>> => {
  const { name, fields, namedColumns = [], signal, contentName = 'rows' } = source
  const fail = (reason: string, code?: 'column') =>
    E.left(usage(`read ${contentName}: ${name}: ${reason}`, code))
  const opened = await TE.tryCatch(() => openContent(source), reasonOf)()
  if (E.isLeft(opened)) return signal.aborted ? E.left(interrupted) : fail(opened.left)
  if (E.isLeft(opened.right)) return fail(opened.right.left)
  const content = opened.right.right
  if (content.kind === 'elements')
    return E.right(withoutHeader(readElements(content.elements, fields)))
  if (content.kind === 'lines') return E.right(withoutHeader(readLineRows(content, source)))
  const { lines, header, syntax, isDelimiterGuessed } = content
  // An empty table has no header. Its rows are not read.
  if (header === undefined) return E.right(withoutHeader(readElements([], fields)))
  const required = [...listFieldNames(fields), ...namedColumns]
  const checked = checkHeader(header, required, isDelimiterGuessed)
  if (E.isLeft(checked)) return fail(checked.left, 'column')
  const labelCheck = contentName === 'labels' ? checkLabelColumns(header) : checked
  if (E.isLeft(labelCheck)) return fail(labelCheck.left, 'column')
  const reader = new TableRowReader(syntax, header)
  return E.right({
    rows: readTableRows(lines, reader, fields),
    header,
    countSpanningCells: () => reader.spanningCells,
  })
}

const withoutHeader = (rows: OpenedRows['rows']): OpenedRows => ({
  rows,
  header: undefined,
  countSpanningCells: () => 0,
})

/** The content of an input: the elements of a JSON array, lines, or the records of a table below its header. */
type RowInput =
  | { readonly kind: 'elements'; readonly elements: ReadonlyArray<ArrayElement> }
  | { readonly kind: 'lines'; readonly lines: AsyncGenerator<InputLine, void, undefined> }
  | {
      readonly kind: 'table'
      readonly lines: AsyncGenerator<InputLine, void, undefined>
      readonly syntax: TableSyntax
      /** `undefined` if the table is empty. */
      readonly header: TableHeader | undefined
      readonly isDelimiterGuessed: boolean
    }

/** Opens the content of an input. Fails with a message about an array or a header. Rejects if the input is unreadable. */
const openContent = async (source: RowSource): Promise<E.Either<string, RowInput>> => {
  const text = decodeChunks(source.chunks, source.encoding)
  switch (source.format) {
    case 'csv':
      return openTable(text, source)
    case 'lines':
      return E.right(openLines(splitStream(text, createAnyLineSplitter(maxLineBytes)), source))
    case 'jsonl': {
      if (!source.mayBeArray) return E.right(openLines(splitLines(text, maxLineBytes), source))
      const content = await readArrayOrLines(text)
      if (E.isLeft(content)) return content
      return E.right(
        'elements' in content.right
          ? { kind: 'elements', elements: content.right.elements }
          : openLines(splitLines(content.right.chunks, maxLineBytes), source),
      )
    }
  }
}

const openLines = (stream: LineStream, { signal }: RowSource): RowInput => ({
  kind: 'lines',
  lines: listLines(stream, signal),
})

const openTable = async (
  text: AsyncIterator<Uint8Array>,
  source: RowSource,
): Promise<E.Either<string, RowInput>> => {
  const { syntax, hasSeparatorLine, isDelimiterGuessed, chunks } = await readTableStart(
    text,
    source,
  )
  const { delimiter, hasQuotes } = syntax
  const splitter = createRecordSplitter(maxLineBytes, { delimiters: delimiter, hasQuotes })
  const lines = listLines(splitStream(chunks, splitter), source.signal)
  const openWith = (header: TableHeader | undefined): RowInput => ({
    kind: 'table',
    lines,
    syntax,
    header,
    isDelimiterGuessed,
  })
  for (;;) {
    const next = await lines.next()
    if (next.done) return E.right(openWith(undefined))
    const line = next.value
    if (hasSeparatorLine && line.number === 1) continue
    const record = readRecord(line, syntax)
    if (record === 'blank') continue
    const header = readTableHeader(record, line.number, syntax)
    return E.isLeft(header) ? header : E.right(openWith(header.right))
  }
}

/** Yields lines or records. After `signal` has fired, drops a last one without a line break, because it may be incomplete. */
async function* listLines(
  stream: LineStream,
  signal: AbortSignal,
): AsyncGenerator<InputLine, void, undefined> {
  for await (const lines of stream)
    for (const line of lines) {
      if (!line.hasNewline && signal.aborted) return
      yield line
    }
}

/** Counts the rows of an input. Resolves with 0 if it has a fault, which `openRows` reports. Rejects if the input is unreadable. */
export const countRows = async (source: RowSource): Promise<number> => {
  const opened = await openContent(source)
  if (E.isLeft(opened)) return 0
  const content = opened.right
  if (content.kind === 'elements') return content.elements.length
  let rowCount = 0
  for await (const line of content.lines) {
    const isRow =
      content.kind === 'lines'
        ? !isBlankLine(line, source)
        : readRecord(line, content.syntax) !== 'blank'
    if (isRow) rowCount += 1
  }
  return rowCount
}

/** Returns `true` for an empty line. In JSONL, a line of whitespace is blank too. */
const isBlankLine = ({ bytes, isTooLong }: InputLine, { format }: RowForm): boolean =>
  !isTooLong && (format === 'jsonl' ? isBlank(bytes) : bytes.length === 0)

async function* readElements(
  elements: ReadonlyArray<ArrayElement>,
  fields: RowFields,
): AsyncGenerator<Row, void, undefined> {
  for (const [index, { value, line }] of elements.entries())
    yield { index, line, ...divideRow(value, fields) }
}

/** Reads a row from each line that is not blank. */
async function* readLineRows(
  { lines }: { readonly lines: AsyncIterable<InputLine> },
  source: RowSource & RowOptions,
): AsyncGenerator<Row, void, undefined> {
  const { format, fields } = source
  let index = 0
  for await (const line of lines) {
    if (isBlankLine(line, source)) continue
    const content = exceedsRowLimit(line)
      ? { fault: tooLargeMessage }
      : format === 'jsonl'
        ? readJsonRow(line, fields)
        : readTextRow(line)
    yield { index: index++, line: line.number, ...content }
  }
}

async function* readTableRows(
  lines: AsyncIterable<InputLine>,
  reader: TableRowReader,
  fields: RowFields,
): AsyncGenerator<Row, void, undefined> {
  let index = 0
  for await (const line of lines) {
    const read = reader.read(line)
    if (read === 'blank') continue
    const content = 'row' in read ? divideRow(read.row, fields) : read
    yield { index: index++, line: line.number, ...content }
  }
}

/** Returns `true` if a line, without a carriage return at its end, is longer than a row may be: 16 MiB. */
const exceedsRowLimit = ({ bytes, isTooLong }: InputLine): boolean =>
  isTooLong || bytes.length - (bytes.at(-1) === 0x0d ? 1 : 0) > maxDocumentBytes

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
  return fault === undefined ? { state: bytes.toString('utf8') } : { fault }
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
