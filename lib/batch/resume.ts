import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import { type Draft, Entries, encode } from '../json/draft'
import { memberIn } from '../json/json'
import { decodeRecord, isAnswered, type RunRecord } from '../run/decode'
import { splitLines } from '../run/lines'
import { maxRecord } from '../run/read'
import type { Head } from '../run/record'
import type { Files } from '../runtime/runtime'
import { headOf, type Item, judgementOf, type Plan } from './ask-row'

/** A record that the output already holds. */
export interface Kept {
  readonly record: RunRecord
  /** The record's line, without its newline. */
  readonly line: Buffer
  /** Whether the line ends in a newline. */
  readonly ended: boolean
  /** Where the next line begins, in bytes from the start of the file. */
  readonly next: number
}

/** The line of a kept record, with its newline. */
export const lineOf = ({ line }: Kept): Buffer => Buffer.concat([line, Buffer.from('\n')])

/**
 * Reads the records of an output in order; a torn last line is left out. Ends after a failure where a line is
 * not a record.
 */
export async function* keptRecords(
  path: string,
  { chunks }: Pick<Files, 'chunks'>,
  signal: AbortSignal,
): AsyncGenerator<E.Either<Failure, Kept>, void, undefined> {
  let position = 0
  for await (const lines of splitLines(chunks(path, signal), maxRecord))
    for (const { bytes, number, ended, tooLong, next } of lines) {
      const record = decodeRecord(bytes, number, position)
      if (E.isLeft(record) || tooLong) {
        if (!ended) return
        yield E.left(usage(`resume ${path}: line ${number} is no record of a run`))
        return
      }
      position += 1
      yield E.right({ record: record.right, line: bytes, ended, next })
    }
}

/** An item and its existing record. */
export interface Pair {
  readonly item: Item
  readonly kept: Kept
}

/**
 * Pairs each record of an output with its item of the input. Ends with the last record, or with a failure at
 * the first that belongs to another row, other questions, or a run with other flags. R7
 */
export async function* pairRecords(
  path: string,
  records: AsyncIterable<E.Either<Failure, Kept>>,
  items: AsyncIterator<Item>,
  plan: Plan,
): AsyncGenerator<E.Either<Failure, Pair>, void, undefined> {
  const refused = (why: string) => E.left(usage(`resume ${path}: ${why}`))
  for await (const kept of records) {
    if (E.isLeft(kept)) {
      yield kept
      return
    }
    const { record } = kept.right
    const next = await items.next()
    if (next.done) {
      yield refused(`it holds row ${record.index}, which the input has not`)
      return
    }
    const why = difference(record, headOf(next.value, plan), plan)
    if (why !== undefined) {
      yield refused(`row ${next.value.row.index} of the input: ${why}`)
      return
    }
    yield E.right({ item: next.value, kept: kept.right })
  }
}

/** Why a record does not belong to a row; `undefined` where it does. */
const difference = (record: RunRecord, head: Head, plan: Plan): string | undefined => {
  if (record.index !== head.index) return `the file has row ${record.index} in its place`
  if (record.run !== head.run) return 'the file has it with another --repeat'
  if (record.questionsSha256 !== head.questionsSha256) return 'the file has other questions'
  if (record.stateSha256 !== head.stateSha256) return 'the file has another state'
  const document = record.document
  const { gate, policy } = isAnswered(record.outcome)
    ? judgementOf(plan, record.outcome.answers)
    : {}
  const texts: ReadonlyArray<readonly [name: string, expected: Draft | undefined]> = [
    ['id', head.id],
    ['group', head.group],
    ['labels', head.labels && new Entries(head.labels)],
    ['state', head.state],
    ['gate', gate],
    ['policy', policy],
  ]
  const other = texts.find(([name, expected]) => {
    const found = memberIn(document, name)
    const text = expected && encode(expected).toString()
    return (found && encode(found).toString()) !== text
  })
  return other && `the file has another "${other[0]}"`
}
