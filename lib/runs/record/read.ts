import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import { decodeChunks } from '../../text/encoding'
import { decodeRecord, type RecordFault, type RunRecord } from './decode'
import { dropByteOrderMark, type InputLine, type StreamSource } from './lines'
import { maxRecordBytes, type RecordLine, readRecordLines } from './record-lines'

/**
 * Reads a run as a stream, and calls `visit` with each record. If `visit` returns a message, the reading ends with a usage error that
 * has the message and the line of the record. Resolves with the number of records. Fails as `readRecords` does.
 */
export const readRun =
  (
    source: StreamSource,
    visit: (record: RunRecord) => string | undefined,
  ): TE.TaskEither<Failure, number> =>
  async () => {
    let count = 0
    for await (const records of readRecords(source))
      for (const record of records) {
        if (E.isLeft(record)) return record
        count += 1
        const cause = visit(record.right)
        if (cause !== undefined)
          return E.left(createReadFailure(source, `line ${record.right.line}: ${cause}`))
      }
    return E.right(count)
  }

/** Records of a run, which are decoded lazily. If there is a failure, it is the last element. */
type Records = Iterable<E.Either<Failure, RunRecord>>

/**
 * Reads the records of a run as a stream. Each element has the records that end in one chunk: iterate over them before you request
 * the next element. The whole input may instead be a single document of `svc ask` that spans several lines. The last element is a
 * failure if a line is invalid (a usage error with its number), or if the signal has fired.
 */
export async function* readRecords(source: StreamSource): AsyncGenerator<Records, void, undefined> {
  const { signal } = source
  let count = 0
  let hasFailed = false
  // Set if the first line is incomplete JSON, probably because the whole input is one document that spans several lines.
  let document: MultilineDocument | undefined
  const fail = (reason: string): E.Either<Failure, never> => {
    hasFailed = true
    return E.left(createReadFailure(source, reason))
  }
  /** Returns the record of a line, or `undefined` if the line is blank or a part of a longer document. */
  const processLine = ({ line, record }: RecordLine): E.Either<Failure, RunRecord> | undefined => {
    if (document !== undefined) {
      addLine(document, line)
      return document.size > maxRecordBytes ? fail(document.fault.cause) : undefined
    }
    if (record === undefined) return undefined
    if (E.isRight(record)) {
      count += 1
      return record
    }
    const mayContinue = count === 0 && record.left.isIncomplete
    if (!mayContinue) return fail(explainFault(record.left, line))
    document = { firstLine: line.number, parts: [], size: 0, fault: record.left }
    addLine(document, line)
    return undefined
  }
  function* processLines(lines: Iterable<RecordLine>): Generator<E.Either<Failure, RunRecord>> {
    for (const recordLine of lines) {
      const record = processLine(recordLine)
      if (record !== undefined) yield record
      if (hasFailed) return
    }
  }
  try {
    const chunks = decodeChunks(source.chunks, undefined)
    for await (const lines of readRecordLines({ chunks, signal })) {
      yield processLines(lines)
      if (hasFailed) return
    }
    if (signal.aborted) yield [E.left(interrupted)]
    else if (document !== undefined) yield [decodeDocument(document, source)]
  } catch (error) {
    yield [E.left(signal.aborted ? interrupted : createReadFailure(source, reasonOf(error)))]
  }
}

const createReadFailure = ({ name }: StreamSource, reason: string): Failure =>
  usage(`read run: ${name}: ${reason}`)

/** A document of `svc ask` that spans several lines. */
interface MultilineDocument {
  readonly firstLine: number
  readonly parts: Buffer[]
  /** The size of the parts, in bytes. */
  size: number
  /** The fault of decoding the first line without the other lines. */
  readonly fault: RecordFault
}

const newline = Buffer.from('\n')

const addLine = (document: MultilineDocument, line: InputLine): void => {
  const bytes = dropByteOrderMark(line)
  document.parts.push(bytes, newline)
  document.size += bytes.length + newline.length
}

const decodeDocument = (
  { parts, firstLine }: MultilineDocument,
  source: StreamSource,
): E.Either<Failure, RunRecord> => {
  const record = decodeRecord(Buffer.concat(parts), firstLine)
  return E.isLeft(record) ? E.left(createReadFailure(source, record.left.cause)) : record
}

/**
 * Describes a fault. If the last line is incomplete, svc was probably killed while it wrote. The message then says how to continue
 * the run.
 */
const explainFault = ({ cause, isIncomplete }: RecordFault, line: InputLine): string =>
  isIncomplete && !line.hasNewline
    ? `${cause}; continue an interrupted run with svc batch --resume`
    : cause
