import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import { decodeRecord, type RecordFault, type RunRecord } from './decode'
import { dropMark, type InputLine } from './lines'
import { maxRecordBytes, type RecordLine, readRecordLines } from './record-lines'
import type { StreamSource } from './source'

/**
 * Reads a run as a stream, and calls `visit` with each record. If `visit` returns a text, the run fails with it as the fault of
 * that record. Resolves with the number of records. Fails as `readRecords` does.
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
          return E.left(nameFault(source, `line ${record.right.line}: ${cause}`))
      }
    return E.right(count)
  }

/** Records of a run, which are decoded lazily. A failure is the last element. */
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
  /** The lines so far, if the first line is incomplete JSON, perhaps because the document spans several lines. */
  let document: MultilineDocument | undefined
  const fail = (why: string): E.Either<Failure, never> => {
    hasFailed = true
    return E.left(nameFault(source, why))
  }
  /** Returns the record of a line, or `undefined` if the line is blank or a part of a longer document. */
  const takeRecord = (line: RecordLine): E.Either<Failure, RunRecord> | undefined => {
    if (document !== undefined) {
      addLine(document, line)
      return document.size > maxRecordBytes ? fail(document.fault.cause) : undefined
    }
    const { record } = line
    if (record === undefined) return undefined
    if (E.isRight(record)) {
      count += 1
      return record
    }
    if (count > 0 || !record.left.cut) return fail(explainFault(record.left, line))
    document = { firstLine: line.number, parts: [], size: 0, fault: record.left }
    addLine(document, line)
    return undefined
  }
  function* takeRecords(lines: Iterable<RecordLine>): Generator<E.Either<Failure, RunRecord>> {
    for (const line of lines) {
      const record = takeRecord(line)
      if (record !== undefined) yield record
      if (hasFailed) return
    }
  }
  try {
    for await (const lines of readRecordLines(source)) {
      yield takeRecords(lines)
      if (hasFailed) return
    }
    if (signal.aborted) yield [E.left(interrupted)]
    else if (document !== undefined) yield [decodeDocument(document, source)]
  } catch (error) {
    yield [E.left(signal.aborted ? interrupted : nameFault(source, reasonOf(error)))]
  }
}

const nameFault = ({ name }: StreamSource, why: string): Failure =>
  usage(`read run: ${name}: ${why}`)

/** A document of `svc ask` that spans several lines. */
interface MultilineDocument {
  readonly firstLine: number
  readonly parts: Buffer[]
  size: number
  /** The fault of its first line, if that is decoded alone. */
  readonly fault: RecordFault
}

const newline = Buffer.from('\n')

const addLine = (document: MultilineDocument, line: InputLine): void => {
  const bytes = dropMark(line)
  document.parts.push(bytes, newline)
  document.size += bytes.length + 1
}

const decodeDocument = (
  { parts, firstLine }: MultilineDocument,
  source: StreamSource,
): E.Either<Failure, RunRecord> => {
  const record = decodeRecord(Buffer.concat(parts), firstLine, 0)
  return E.isLeft(record) ? E.left(nameFault(source, record.left.cause)) : record
}

/** Describes a fault. If the last line is incomplete, svc was killed while it wrote, and the message says how to continue the run. */
const explainFault = ({ cause, cut }: RecordFault, line: InputLine): string =>
  cut && !line.ended ? `${cause}; continue an interrupted run with svc batch --resume` : cause
