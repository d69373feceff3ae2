import * as E from 'fp-ts/Either'
import { decodeRecord, type RecordFault, type RunRecord } from './decode'
import { dropMark, type InputLine, isBlank, splitLines } from './lines'
import type { StreamSource } from './source'

/** A record has at most 128 MiB: enough for a state and answers of 16 MiB each, with escapes. */
export const maxRecordBytes = 128 << 20

/** A line of a run, and the record on it. */
export interface RecordLine extends InputLine {
  /** The record, or the fault of the line; `undefined` if the line is blank. */
  readonly record: E.Either<RecordFault, RunRecord> | undefined
}

/**
 * Reads a run as a stream of lines, those of one chunk together. Take the lines of a chunk before the next chunk: each line is
 * decoded when it is taken. Once `signal` fires, the stream ends, because the input may then end in the middle of a line.
 */
export async function* readRecordLines({
  chunks,
  signal,
}: Pick<StreamSource, 'chunks' | 'signal'>): AsyncGenerator<Iterable<RecordLine>, void, undefined> {
  let count = 0
  // All records of a chunk at once would outlive the young generation, which V8 then lets grow to 64 MB and more.
  function* decodeLines(lines: Iterable<InputLine>): Generator<RecordLine, void, undefined> {
    for (const line of lines) {
      const record = decodeLine(line, count)
      if (record !== undefined && E.isRight(record)) count += 1
      yield { ...line, record }
    }
  }
  for await (const lines of splitLines(chunks, maxRecordBytes)) {
    if (signal.aborted) return
    yield decodeLines(lines)
  }
}

const decodeLine = (line: InputLine, position: number): RecordLine['record'] => {
  if (line.tooLong) return E.left({ cause: `line ${line.number}: exceeds 128 MiB`, cut: false })
  const bytes = dropMark(line)
  return isBlank(bytes) ? undefined : decodeRecord(bytes, line.number, position)
}
