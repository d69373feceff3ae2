import * as E from 'fp-ts/Either'
import { encodeText } from '../../codec/json/draft'
import { memberIn } from '../../codec/json/json'
import type { Files } from '../../runtime/runtime'
import { sanitize } from '../../text/sanitize'
import { formatCount } from '../../text/table'
import type { RunRecord } from '../record/decode'
import { isAnswered } from '../record/outcome'
import type { BatchRun } from './batch-run'
import { readOldRecords } from './old-records'
import type { RunOutput } from './output'

/**
 * Deletes the files that killed runs left beside the output, if the output has all their answers. Names the others on stderr, and how to
 * use their answers.
 */
export const reportLeftovers = async (
  { runtime, setup }: BatchRun,
  { path, file }: RunOutput,
): Promise<void> => {
  for (const leftover of file.leftovers) {
    const newAnswers = await countNewAnswers(leftover.path, path, runtime.files, setup.interrupt)
    if (newAnswers === 0) {
      await leftover.remove()
      continue
    }
    const line = `batch: ${describeNewAnswers(leftover.path, newAnswers)}`
    await runtime.stderr.write(`${sanitize(line)}, or delete it\n`)
  }
}

/** Describes a file whose answers the output lacks, for a message that names the output too. */
export const describeNewAnswers = (path: string, newAnswers: number | 'unknown'): string => {
  const count =
    newAnswers === 'unknown'
      ? 'may have answers that the output lacks'
      : `has ${formatCount(newAnswers, 'answer')} that the output lacks`
  return `${path} ${count}: use it with --reuse`
}

/**
 * Counts the answers in a file of records that the output does not have at the same place. Resolves with `unknown` if that cannot be
 * found out, for example because a line is not a record, or after an interrupt.
 */
export const countNewAnswers = async (
  path: string,
  outputPath: string,
  files: Pick<Files, 'chunks'>,
  signal = new AbortController().signal,
): Promise<number | 'unknown'> => {
  const outputRecords = readOldRecords(outputPath, files, signal)
  let count = 0
  try {
    for await (const old of readOldRecords(path, files, signal)) {
      if (E.isLeft(old)) return 'unknown'
      // The answers of a last line that was not written to its end cannot be used.
      if ('torn' in old.right) break
      const { value: other } = await outputRecords.next()
      const otherRecord =
        other !== undefined && E.isRight(other) && 'record' in other.right
          ? other.right.record
          : undefined
      const { record } = old.right
      if (isAnswered(record.outcome) && !hasSameAnswers(record, otherRecord)) count += 1
    }
  } catch {
    return 'unknown'
  } finally {
    await outputRecords.return()
  }
  return signal.aborted ? 'unknown' : count
}

/** Returns `true` if two records have the same answers of the same model about the same row. */
const hasSameAnswers = (record: RunRecord, other: RunRecord | undefined): boolean => {
  if (other === undefined || !isAnswered(other.outcome)) return false
  const isSameItem = record.index === other.index && record.repetition === other.repetition
  return isSameItem && encodeAnswers(record) === encodeAnswers(other)
}

const encodeAnswers = ({ document, stateSha256 }: RunRecord): string =>
  encodeText({
    state: stateSha256,
    model: memberIn(document, 'model'),
    answers: memberIn(document, 'answers'),
  })
