import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../failure/failure'
import { reasonOf } from '../runtime/node/error-reason'
import { decodeRecord, type RecordFault, type RunRecord } from './decode'
import { dropMark, isBlank, type Line, splitLines } from './lines'
import type { Source } from './source'

/** The most bytes of a record: enough for a state and answers of 16 MiB each, with escapes. */
export const maxRecord = 128 << 20

/**
 * Reads a run as a stream and calls `visit` with each record. A text that `visit` returns is a fault of that
 * record. Resolves with the number of records. The whole input may also be a single document of `svc ask`,
 * spread over several lines. Fails with a usage error that names the line, or as interrupted. R1
 */
export const readRun =
  (
    { name, chunks, signal }: Source,
    visit: (record: RunRecord) => string | undefined,
  ): TE.TaskEither<Failure, number> =>
  async () => {
    const failWith = (why: string) => E.left(usage(`read run: ${name}: ${why}`))
    let count = 0
    /** The input so far, where its first line is incomplete JSON and may begin a document of several lines. */
    let whole: Whole | undefined
    const take = (bytes: Buffer, line: number): RecordFault | undefined => {
      const record = decodeRecord(bytes, line, count)
      if (E.isLeft(record)) return record.left
      count += 1
      const cause = visit(record.right)
      return cause === undefined ? undefined : { cause: `line ${line}: ${cause}`, cut: false }
    }
    try {
      for await (const lines of splitLines(chunks, maxRecord))
        for (const line of lines) {
          // An interrupt ends the input, perhaps in the middle of a line.
          if (signal.aborted) return E.left(interrupted)
          const bytes = dropMark(line)
          if (whole !== undefined) {
            addPart(whole, bytes)
            if (whole.size > maxRecord) return failWith(whole.fault.cause)
            continue
          }
          if (line.tooLong) return failWith(`line ${line.number}: exceeds 128 MiB`)
          if (isBlank(bytes)) continue
          const fault = take(bytes, line.number)
          if (fault === undefined) continue
          if (count > 0 || !fault.cut) return failWith(explainFault(fault, line))
          whole = { first: line.number, parts: [], size: 0, fault }
          addPart(whole, bytes)
        }
      if (signal.aborted) return E.left(interrupted)
      if (whole !== undefined) {
        const fault = take(Buffer.concat(whole.parts), whole.first)
        if (fault !== undefined) return failWith(fault.cause)
      }
      return E.right(count)
    } catch (error) {
      return signal.aborted ? E.left(interrupted) : failWith(reasonOf(error))
    }
  }

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
