import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../failure/failure'
import { reasonOf } from '../runtime/node/error-reason'
import { decodeRecord, type RecordFault, type RunRecord } from './decode'
import { dropMark, isBlank, type Line, splitLines } from './lines'
import type { Source } from './source'

/** The most bytes of a record: enough for a state and answers of 16 MiB each, with escapes. */
export const maxRecord = 128 << 20

/** A record of a run, and the number of its line. */
interface NumberedRecord {
  readonly record: RunRecord
  readonly line: number
}

/**
 * Reads a run as a stream, and calls `visit` with each record. A text that `visit` returns is a fault of that record.
 * Resolves with the number of records. Fails as `readRecords` does.
 */
export const readRun =
  (
    source: Source,
    visit: (record: RunRecord) => string | undefined,
  ): TE.TaskEither<Failure, number> =>
  async () => {
    let count = 0
    for await (const read of readRecords(source)) {
      if (E.isLeft(read)) return read
      for (const { record, line } of read.right) {
        count += 1
        const cause = visit(record)
        if (cause !== undefined) return failWith(source, `line ${line}: ${cause}`)
      }
    }
    return E.right(count)
  }

/**
 * Reads the records of a run as a stream, those of one chunk together. The whole input may also be a single document of
 * `svc ask`, spread over several lines. Ends with a usage error that names the line, or as interrupted. R1
 */
export async function* readRecords(
  source: Source,
): AsyncGenerator<E.Either<Failure, ReadonlyArray<NumberedRecord>>, void, undefined> {
  const { chunks, signal } = source
  let count = 0
  /** The input so far, where its first line is incomplete JSON and may begin a document of several lines. */
  let whole: Whole | undefined
  try {
    for await (const lines of splitLines(chunks, maxRecord)) {
      // An interrupt ends the input, perhaps in the middle of a line.
      if (signal.aborted) return yield E.left(interrupted)
      const records: NumberedRecord[] = []
      for (const line of lines) {
        const bytes = dropMark(line)
        if (whole !== undefined) {
          addPart(whole, bytes)
          if (whole.size > maxRecord) return yield failWith(source, whole.fault.cause)
          continue
        }
        if (!line.tooLong && isBlank(bytes)) continue
        const record = line.tooLong ? exceeds(line) : decodeRecord(bytes, line.number, count)
        if (E.isRight(record)) {
          count += 1
          records.push({ record: record.right, line: line.number })
          continue
        }
        if (count > 0 || !record.left.cut) {
          yield E.right(records)
          return yield failWith(source, explainFault(record.left, line))
        }
        whole = { first: line.number, parts: [], size: 0, fault: record.left }
        addPart(whole, bytes)
      }
      yield E.right(records)
    }
    if (signal.aborted) return yield E.left(interrupted)
    if (whole !== undefined) {
      const line = whole.first
      const record = decodeRecord(Buffer.concat(whole.parts), line, 0)
      yield E.isLeft(record)
        ? failWith(source, record.left.cause)
        : E.right([{ record: record.right, line }])
    }
  } catch (error) {
    yield signal.aborted ? E.left(interrupted) : failWith(source, reasonOf(error))
  }
}

const failWith = ({ name }: Source, why: string): E.Either<Failure, never> =>
  E.left(usage(`read run: ${name}: ${why}`))

const exceeds = ({ number }: Line): E.Either<RecordFault, never> =>
  E.left({ cause: `line ${number}: exceeds 128 MiB`, cut: false })

interface Whole {
  /** The number of the document's first line. */
  readonly first: number
  readonly parts: Buffer[]
  size: number
  readonly fault: RecordFault
}

const newline = Buffer.from('\n')

const addPart = (whole: Whole, bytes: Buffer): void => {
  whole.parts.push(bytes, newline)
  whole.size += bytes.length + 1
}

/** A torn last line means that the run was killed while it wrote; the message then says how to finish it. */
const explainFault = ({ cause, cut }: RecordFault, line: Line): string =>
  cut && !line.ended ? `${cause}; svc batch --resume finishes a run that was cut off` : cause
