import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { Files } from '../../runtime/runtime'
import { decodeRecord, type RunRecord } from '../record/decode'
import { type RecordLine, readRecordLines } from '../record/record-lines'

/** A record of the output file of an earlier run. */
export interface OldRecord {
  readonly record: RunRecord
  /** The line of the record. It ends with a newline, even if the file does not. */
  readonly line: Buffer
  /** `true` if the line in the file ends with a newline. */
  readonly hasNewline: boolean
  /** The offset of the next line in the file, in bytes. */
  readonly nextOffset: number
}

/** A last line that is incomplete, probably because the program was killed while it wrote. */
export interface TornLine {
  /** The bytes that were written. */
  readonly torn: Buffer
}

/**
 * Reads the records of an output in order. The last element may be a torn line. If any other line is not a record, yields a failure
 * and ends. Also ends when `signal` fires.
 */
export async function* readOldRecords(
  path: string,
  { chunks }: Pick<Files, 'chunks'>,
  signal: AbortSignal,
): AsyncGenerator<E.Either<Failure, OldRecord | TornLine>, void, undefined> {
  for await (const lines of readRecordLines({ chunks: chunks(path, signal), signal }))
    for (const recordLine of lines) {
      if (!recordLine.line.hasNewline) {
        const last = decodeLastLine(recordLine)
        if (last !== undefined) yield E.right(last)
        return
      }
      const old = toOldRecord(recordLine, path)
      yield old
      if (E.isLeft(old)) return
    }
}

const newline = Buffer.from('\n')

const toOldRecord = ({ line, record }: RecordLine, path: string): E.Either<Failure, OldRecord> =>
  record === undefined || E.isLeft(record)
    ? E.left(usage(`resume ${path}: line ${line.number} is not a record of a run`))
    : E.right({
        record: record.right,
        line: Buffer.concat([line.bytes, newline]),
        hasNewline: true,
        nextOffset: line.nextOffset,
      })

/** Decodes a last line without a newline: it is a record or torn. Returns `undefined` if all of its bytes are zero. */
const decodeLastLine = (recordLine: RecordLine): OldRecord | TornLine | undefined => {
  const { line } = recordLine
  const bytes = dropTrailingZeros(line.bytes)
  if (bytes.length === 0) return undefined
  // `recordLine.record` was decoded with the zeros.
  const hasZeros = bytes.length < line.bytes.length
  const record = hasZeros ? decodeRecord(bytes, line.number) : recordLine.record
  if (record === undefined || E.isLeft(record) || line.isTooLong) return { torn: bytes }
  return {
    record: record.right,
    line: Buffer.concat([bytes, newline]),
    hasNewline: false,
    nextOffset: line.offset + bytes.length,
  }
}

/** Removes zero bytes from the end of a line. A file system may leave them after a power failure. */
const dropTrailingZeros = (bytes: Buffer): Buffer => {
  let length = bytes.length
  while (length > 0 && bytes[length - 1] === 0) length -= 1
  return bytes.subarray(0, length)
}
