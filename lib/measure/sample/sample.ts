import { type Draft, Entries } from '../../json/draft'
import { copyValue, type Json, type Member, membersOf, stringIn } from '../../json/json'
import type { RunRecord } from '../../run/decode'
import { isAnswered } from '../../run/outcome'
import { createRandom } from '../../statistics/random'
import { writeCount } from '../../text/table'
import { idOf } from '../collect'
import { isKnown } from '../decision'
import { DigestIndex } from '../digest-index'
import { roundNumbers } from '../numbers'
import { type Sampled, Sampler } from './sampler'
import { measureDisagreement, measureDoubt } from './uncertainty'

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
  readonly id: string | undefined
  readonly stateSha256: string | undefined
  /** The record, copied so that it does not keep the input in memory. */
  readonly record: Json
  /** The questions whose answers can be labelled. */
  readonly questions: ReadonlyArray<string>
  /** The chance with which the row is in the sample, earlier samples included; null where it is not known. */
  readonly p: number | null
}

/**
 * Draws a sample of a run, record by record. Repetitions of a row follow its first record. Rows that failed or that have
 * labels are not drawn, and of rows with equal states only the first can be among the least certain ones. R25
 */
export const createSampling = ({ size, by, explore, seed }: SampleOptions) => {
  const certainly = Math.round(size * (1 - explore))
  const sampler = new Sampler<SampledRow>(certainly, size - certainly, createRandom(seed))
  const states = new DigestIndex()
  let row: { readonly first: RunRecord; readonly repeats: RunRecord[] } | undefined
  let isTold = by === 'margin'
  const isNew = (state: string | undefined): boolean => {
    const known = states.size
    return state === undefined || states.add(state) === known
  }
  const offer = (): void => {
    if (row === undefined || !isAnswered(row.first.outcome)) return
    const { first, repeats } = row
    const disagreement = by === 'disagree' ? measureDisagreement(first, repeats) : undefined
    if (disagreement !== undefined) isTold = true
    if (first.labels.size > 0) return
    const doubt = by === 'margin' ? measureDoubt(first) : (disagreement ?? 0)
    sampler.offer(() => copyRow(first), doubt, isNew(stringIn(first.stateSha256)))
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
    /** Returns the sample; `undefined` where the rows do not tell what it is to be drawn by. */
    finish: (): ReadonlyArray<SampledRow> | undefined => {
      offer()
      row = undefined
      const sample = sampler.finish()
      return isTold || sample.length === 0 ? sample.map(withChance) : undefined
    },
  }
}

/** A row with its chance in this sample, as a share of the chance that it had in the one before. */
const withChance = ({ item, chance }: Sampled<SampledRow>): SampledRow => ({
  ...item,
  p: chance === null || item.p === null ? null : roundNumber(item.p * chance),
})

const roundNumber = (value: number): number => Number(roundNumbers(value))

const copyRow = (record: RunRecord): SampledRow => {
  const answers = isAnswered(record.outcome) ? [...record.outcome.answers] : []
  return {
    index: record.index,
    id: idOf(record),
    stateSha256: stringIn(record.stateSha256),
    record: copyValue(record.document),
    questions: answers.flatMap(([id, answer]) => (isKnown(answer) ? [id] : [])),
    p: record.p === undefined ? 1 : record.p,
  }
}

/** Says what a draw is worth: how many rows of equal chance its figures are as good as, by Kish. R25 */
export const describeWorth = (sample: ReadonlyArray<SampledRow>): string => {
  const drawn = `${writeCount(sample.length, 'row')} drawn`
  const weights = sample.map(({ p }) => 1 / (p ?? 0))
  if (weights.includes(Number.POSITIVE_INFINITY))
    return `${drawn}, to look at: nothing can be said of the run from them`
  const total = weights.reduce((all, weight) => all + weight, 0)
  const squares = weights.reduce((all, weight) => all + weight * weight, 0)
  return `${drawn}, for figures worth ${squares === 0 ? 0 : Math.round(total ** 2 / squares)}`
}

/** The members of a record that come before the labels. R1 */
const head = ['index', 'run', 'id', 'group']

/** The members of a record that are replaced. */
const replaced = ['labels', 'p', 'row']

/**
 * Writes a sampled record for labelling. `labels` has every question, null where there is no label yet; `p`
 * follows it, and `row`, the row of the input, comes last. R25
 */
export const describeSampled = (
  { index, record, questions, p }: SampledRow,
  row: Draft | undefined,
): Draft => {
  const list = membersOf(record)
  const entry = ({ name, value }: Member): readonly [Json, Draft] => [name, value]
  const isHead = ({ key }: Member): boolean => head.includes(key)
  const isRest = ({ key }: Member): boolean => !head.includes(key) && !replaced.includes(key)
  return new Entries([
    ...(list.some(({ key }) => key === 'index') ? [] : [['index', index] as const]),
    ...list.filter(isHead).map(entry),
    ['labels', new Entries(questions.map((id) => [id, null]))],
    ['p', p],
    ...list.filter(isRest).map(entry),
    ...(row === undefined ? [] : [['row', row] as const]),
  ])
}
