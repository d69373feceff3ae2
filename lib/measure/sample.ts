import { type Draft, Entries } from '../json/draft'
import { copyValue, type Json, type Member, membersOf } from '../json/json'
import { isAnswered, type RunRecord } from '../run/decode'
import { createRandom } from '../statistics/random'
import { isKnown } from './decision'
import { roundNumbers } from './rounded'
import { type Sampled, Sampler } from './sampler'
import { byDisagreement, byMargin } from './uncertainty'

/** The options of `svc sample`. R25 */
export interface SampleOptions {
  /** The number of rows to draw. */
  readonly size: number
  readonly by: 'margin' | 'disagree'
  /** The share of rows that is drawn at random, 0 to 1. */
  readonly explore: number
  readonly seed: number
}

/** A row of the sample. */
export interface SampledRow {
  readonly index: number
  /** The record, copied so that it does not keep the input in memory. */
  readonly record: Json
  /** The questions whose answers can be labelled. */
  readonly questions: ReadonlyArray<string>
  /** The chance with which an earlier sample drew the row; 1 where there was none. */
  readonly p: number
}

/** Draws a sample of a run, record by record. Repetitions of a row follow its first record. */
export const sampling = ({ size, by, explore, seed }: SampleOptions) => {
  const certainly = Math.round(size * (1 - explore))
  const sampler = new Sampler<SampledRow>(certainly, size - certainly, createRandom(seed))
  let row: { readonly first: RunRecord; readonly repeats: RunRecord[] } | undefined
  const offer = (): void => {
    if (row === undefined || !isAnswered(row.first.outcome)) return
    const { first, repeats } = row
    const uncertainty = by === 'margin' ? byMargin(first) : byDisagreement(first, repeats)
    sampler.offer(() => held(first), uncertainty)
  }
  return {
    add: (record: RunRecord): void => {
      if ((record.run ?? 0) > 0) {
        if (row?.first.index === record.index) row.repeats.push(record)
        return
      }
      offer()
      row = { first: record, repeats: [] }
    },
    finish: (): ReadonlyArray<Sampled<SampledRow>> => {
      offer()
      row = undefined
      return sampler.finish()
    },
  }
}

const held = (record: RunRecord): SampledRow => {
  const answers = isAnswered(record.outcome) ? [...record.outcome.answers] : []
  return {
    index: record.index,
    record: copyValue(record.document),
    questions: answers.flatMap(([id, answer]) => (isKnown(answer) ? [id] : [])),
    p: record.p ?? 1,
  }
}

/** The members of a record that come before the labels. R1 */
const head = ['index', 'run', 'id', 'group']

/** The members of a record that are replaced. */
const replaced = ['labels', 'p', 'row']

/**
 * Writes a sampled record for labelling. `labels` has every question, null where there is no label yet; `p`
 * follows it, and `row`, the row of the input, comes last. R25
 */
export const sampledDocument = (
  { item: { index, record, questions, p }, chance }: Sampled<SampledRow>,
  row: Draft | undefined,
): Draft => {
  const list = membersOf(record)
  const given = list.find(({ key }) => key === 'labels')
  const labels = new Map<string, Draft>(questions.map((id) => [id, null]))
  if (given !== undefined)
    for (const { key, value } of membersOf(given.value)) labels.set(key, value)
  const entry = ({ name, value }: Member): readonly [Json, Draft] => [name, value]
  const isHead = ({ key }: Member): boolean => head.includes(key)
  const isRest = ({ key }: Member): boolean => !head.includes(key) && !replaced.includes(key)
  return new Entries([
    ...(list.some(({ key }) => key === 'index') ? [] : [['index', index] as const]),
    ...list.filter(isHead).map(entry),
    ['labels', new Entries([...labels])],
    ['p', roundNumbers((p ?? 1) * chance)],
    ...list.filter(isRest).map(entry),
    ...(row === undefined ? [] : [['row', row] as const]),
  ])
}
