import * as E from 'fp-ts/Either'
import type { RunRecord } from '../run/decode'
import type { Files, OutputFile } from '../runtime/runtime'
import { keptRecords, lineOf } from './resume'

/**
 * Completes what a run with `--retry-errors` left behind when it was killed: a new file beside the output, with
 * the records that it had reached. Adds the records that only the old file holds, and replaces the old file.
 * Returns whether it did. A file whose records are not those of the output is left alone. R7
 */
export const finishRetry = async (
  path: string,
  file: OutputFile,
  files: Pick<Files, 'chunks'>,
  signal: AbortSignal,
): Promise<boolean> => {
  const left = await file.unfinished()
  if (left === undefined) return false
  const old = keptRecords(path, files, signal)
  let whole = 0
  for await (const again of keptRecords(left, files, signal)) {
    if (E.isLeft(again)) return false
    if (!again.right.ended) break
    const { value } = await old.next()
    if (!value || E.isLeft(value) || !isSame(again.right.record, value.right.record)) return false
    whole = again.right.next
  }
  if (whole === 0 || signal.aborted) return false
  const redo = await file.redo(whole)
  let damaged = false
  for await (const kept of old) {
    if (E.isRight(kept)) await redo.append(lineOf(kept.right))
    else damaged = true
  }
  // After a damaged line the old file may hold further records, which replacing it would lose.
  const isWhole = !damaged && !signal.aborted
  if (isWhole) await redo.commit()
  else await redo.leave()
  return isWhole
}

/** Whether two records belong to the same row, repetition and questions. */
const isSame = (one: RunRecord, other: RunRecord): boolean =>
  one.index === other.index &&
  one.run === other.run &&
  one.stateSha256 === other.stateSha256 &&
  one.questionsSha256 === other.questionsSha256
