import * as E from 'fp-ts/Either'
import { decodeRecord, type RecordFault, type RunRecord } from './decode'
import { dropByteOrderMark, type InputLine, isBlank, type StreamSource, splitLines } from './lines'

/** The maximum size of a record. Its state and its response have up to 16 MiB each, and JSON escapes can make them larger. */
export const maxRecordBytes = 128 << 20

/** A line of a run, and its record. */
export interface RecordLine {
  readonly line: InputLine
  /** The decoded record, or the fault of the line. `undefined` for a blank line. */
  readonly record: E.Either<RecordFault, RunRecord> | undefined
}

/**
 * Reads a run as a stream of lines. Each element has the lines that end in one chunk, which are decoded lazily: iterate over them
 * before you request the next element. The stream ends when `signal` fires, because the last line may then be incomplete.
 */
export async function* readRecordLines({
  chunks,
  signal,
}: Pick<StreamSource, 'chunks' | 'signal'>): AsyncGenerator<Iterable<RecordLine>, void, undefined> {
  let recordCount = 0
  // Decodes lazily: if all records of a chunk were in memory, V8 would let its heap grow by 64 MB or more.
  function* decodeLines(lines: Iterable<InputLine>): Generator<RecordLine, void, undefined> {
    for (const line of lines) {
      const record = decodeLine(line, recordCount)
      if (record !== undefined && E.isRight(record)) recordCount += 1
      yield { line, record }
    }
  }
  for await (const lines of splitLines(chunks, maxRecordBytes)) {
    if (signal.aborted) return
    yield decodeLines(lines)
  }
}

/** Decodes the record of a line. `position` becomes the index of a record without one. */
const decodeLine = (line: InputLine, position: number): RecordLine['record'] => {
  if (line.isTooLong) {
    const cause = `line ${line.number}: exceeds ${maxRecordBytes >> 20} MiB`
    return E.left({ cause, isIncomplete: false })
  }
  const bytes = dropByteOrderMark(line)
  return isBlank(bytes) ? undefined : decodeRecord(bytes, line.number, position)
}
