import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import { decodeRecord, type RecordFault, type RunRecord } from './decode'
import { dropMark, isBlank, type Line, splitLines } from './lines'
import type { Source } from './source'

/** A record has at most 128 MiB: enough for a state and answers of 16 MiB each, with escapes. */
export const maxRecordBytes = 128 << 20

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

/** Records of a run, each decoded when it is taken, or a failure, after which nothing follows. */
type Records = Iterable<E.Either<Failure, RunRecord>>

/**
 * Reads the records of a run as a stream, those of one chunk together. Take them before the next ones. The
 * whole input may also be a single document of `svc ask`, spread over several lines. Ends with a usage error that names
 * the line, or as interrupted.
 */
export async function* readRecords(source: Source): AsyncGenerator<Records, void, undefined> {
  const { chunks, signal } = source
  let count = 0
  /** The input so far, if its first line is incomplete JSON and may begin a document of several lines. */
  let whole: Whole | undefined
  let hasFailed = false
  const fail = (why: string): E.Either<Failure, never> => {
    hasFailed = true
    return E.left(nameFault(source, why))
  }
  /** Decodes a line. Returns `undefined` if it is blank or a part of a longer document. */
  const decodeLine = (line: Line): E.Either<Failure, RunRecord> | undefined => {
    const bytes = dropMark(line)
    if (whole !== undefined) {
      addPart(whole, bytes)
      return whole.size > maxRecordBytes ? fail(whole.fault.cause) : undefined
    }
    if (!line.tooLong && isBlank(bytes)) return undefined
    const record = line.tooLong ? exceeds(line) : decodeRecord(bytes, line.number, count)
    if (E.isRight(record)) {
      count += 1
      return record
    }
    if (count > 0 || !record.left.cut) return fail(explainFault(record.left, line))
    whole = { first: line.number, parts: [], size: 0, fault: record.left }
    addPart(whole, bytes)
    return undefined
  }
  // All records of a chunk at once would outlive the young generation, which V8 then lets grow to 64 MB and more.
  function* decodeLines(lines: Iterable<Line>): Generator<E.Either<Failure, RunRecord>> {
    for (const line of lines) {
      const record = decodeLine(line)
      if (record !== undefined) yield record
      if (hasFailed) return
    }
  }
  try {
    for await (const lines of splitLines(chunks, maxRecordBytes)) {
      // An interrupt ends the input, perhaps in the middle of a line.
      if (signal.aborted) break
      yield decodeLines(lines)
      if (hasFailed) return
    }
    if (signal.aborted) yield [E.left(interrupted)]
    else if (whole !== undefined)
      yield [
        E.mapLeft(({ cause }: RecordFault) => nameFault(source, cause))(
          decodeRecord(Buffer.concat(whole.parts), whole.first, 0),
        ),
      ]
  } catch (error) {
    yield [signal.aborted ? E.left(interrupted) : E.left(nameFault(source, reasonOf(error)))]
  }
}

const nameFault = ({ name }: Source, why: string): Failure => usage(`read run: ${name}: ${why}`)

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
