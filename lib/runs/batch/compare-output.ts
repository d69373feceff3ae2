import * as E from 'fp-ts/Either'
import { type Draft, encodeText } from '../../codec/json/draft'
import { memberIn, stringIn } from '../../codec/json/json'
import { type Failure, usage } from '../../failure/failure'
import type { Files } from '../../runtime/runtime'
import { decodeRecord, type RunRecord } from '../record/decode'
import { splitLines } from '../record/lines'
import { isAnswered } from '../record/outcome'
import { maxRecordBytes } from '../record/read'
import { encodeHead, type RecordHead } from '../record/record'
import { type BatchItem, headOf } from './batch-item'
import type { EncodedRecord } from './encode-record'
import { judgeAnswers } from './judge-answers'
import type { Plan } from './plan'
import type { Items } from './read-items'
import { tallyRecord } from './tally'

/** A record that the output already holds. */
export interface KeptRecord {
  readonly record: RunRecord
  /** The record's line, with a newline even where the file lacks it. */
  readonly line: Buffer
  /** Whether the line ends in a newline. */
  readonly ended: boolean
  /** Where the next line begins, in bytes from the start of the file. */
  readonly next: number
}

/** The beginning of a last line that was not written to its end. */
interface Torn {
  readonly torn: Buffer
}

/**
 * Reads the records of an output in order, and a torn last line. Ends after a failure where a line is no record,
 * and early when `signal` fires.
 */
export async function* readOldRecords(
  path: string,
  { chunks }: Pick<Files, 'chunks'>,
  signal: AbortSignal,
): AsyncGenerator<E.Either<Failure, KeptRecord | Torn>, void, undefined> {
  let position = 0
  for await (const lines of splitLines(chunks(path, signal), maxRecordBytes))
    for (const { bytes: read, number, ended, tooLong, next: end } of lines) {
      // An interrupt ends the file, perhaps in the middle of a line.
      if (!ended && signal.aborted) return
      const bytes = ended ? read : dropZeros(read)
      if (bytes.length === 0 && !ended) return
      const next = end - (read.length - bytes.length)
      const record = decodeRecord(bytes, number, position)
      if (E.isLeft(record) || tooLong) {
        yield ended
          ? E.left(usage(`resume ${path}: line ${number} is no record of a run`))
          : E.right({ torn: bytes })
        return
      }
      position += 1
      const line = Buffer.concat([bytes, newline])
      yield E.right({ record: record.right, line, ended, next })
    }
}

const newline = Buffer.from('\n')

/** Removes zero bytes from the end of a file's last line. File systems leave them when the power fails. */
const dropZeros = (bytes: Buffer): Buffer => {
  let length = bytes.length
  while (length > 0 && bytes[length - 1] === 0) length -= 1
  return bytes.subarray(0, length)
}

interface Pair {
  readonly item: BatchItem
  readonly kept: KeptRecord
  readonly written: EncodedRecord
}

/**
 * Pairs each record of an output with its item of the input. Ends with the last record, or with a failure at
 * the first that belongs to another row, other questions, or a run with other flags. A torn last line must begin as
 * the record of the next item does; that item is then still to be asked.
 */
export async function* pairRecords(
  path: string,
  records: AsyncIterable<E.Either<Failure, KeptRecord | Torn>>,
  items: Items,
  plan: Plan,
  signal: AbortSignal,
): AsyncGenerator<E.Either<Failure, Pair>, void, undefined> {
  const refuse = (why: string) => E.left(usage(`resume ${path}: ${why}`))
  for await (const found of records) {
    if (E.isLeft(found)) {
      yield found
      return
    }
    const next = await items.next()
    // An interrupt ends the input too.
    if (signal.aborted) return
    if ('torn' in found.right) {
      if (next.done || !beginsAs(found.right.torn, headOf(next.value, plan)))
        yield refuse('its last line is no record of this run')
      else items.putBack(next.value)
      return
    }
    const { record } = found.right
    if (next.done) {
      yield refuse(`it holds row ${record.index}, which the input has not`)
      return
    }
    const why = findDifference(record, headOf(next.value, plan), plan)
    if (why !== undefined) {
      yield refuse(`row ${next.value.row.index} of the input: ${why}`)
      return
    }
    yield E.right({
      item: next.value,
      kept: found.right,
      written: keepRecord(found.right, plan),
    })
  }
}

/** The record in the form in which new ones are written. */
export const keepRecord = ({ record, line }: KeptRecord, plan: Plan): EncodedRecord => {
  const reused = memberIn(record.document, 'reused')
  const isReused = reused !== undefined && encodeText(reused) === 'true'
  return { line, tally: tallyRecord(record, plan, isReused) }
}

/** Whether a torn line may be the beginning of the record of a row. */
const beginsAs = (torn: Buffer, head: RecordHead): boolean => {
  const expected = encodeHead(head)
  const length = Math.min(torn.length, expected.length)
  return torn.subarray(0, length).equals(expected.subarray(0, length))
}

const findDifference = (record: RunRecord, head: RecordHead, plan: Plan): string | undefined => {
  const { document, index, run, stateSha256, questionsSha256, outcome } = record
  if (index !== head.index) return `the file has row ${index} in its place`
  if (run !== head.run) return 'the file has it with another --repeat'
  if (stringIn(questionsSha256) !== head.questionsSha256) return 'the file has other questions'
  // A row whose images could not be read has no digest. It may have its images now.
  const hadNoImages = head.images !== undefined && !isAnswered(outcome) && stateSha256 === undefined
  if (stringIn(stateSha256) !== head.stateSha256 && !hadNoImages)
    return 'the file has another state'
  if (isAnswered(outcome) && !plan.permuted.isAskedAlike(outcome.answers))
    return 'the file has it with another --permute'
  const { gate, policy } = isAnswered(outcome) ? judgeAnswers(plan, outcome.answers).members : {}
  const texts: ReadonlyArray<readonly [name: string, expected: Draft | undefined]> = [
    ['id', head.id],
    ['group', head.group],
    ['labels', head.labels && new Map<string, Draft>(head.labels)],
    ['state', head.state],
    ['gate', gate],
    ['policy', policy],
  ]
  const other = texts.find(([name, expected]) => {
    const found = memberIn(document, name)
    const text = expected === undefined ? undefined : encodeText(expected)
    return (found === undefined ? undefined : encodeText(found)) !== text
  })
  return other && `the file has another "${other[0]}"`
}
