import type { Draft } from '../../codec/json/draft'
import { type JsonValue, membersIn, stringIn } from '../../codec/json/json'
import { leadOf } from '../../codec/probabilities'
import { formatCount } from '../../failure/text/table'
import type { Label, RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { createRandom } from '../../runtime/random'
import { decisionOf, isKnown, type KnownAnswer } from '../decision'
import { roundNumbers } from '../format-figures'
import type { LabelledRecord } from '../labels/labelled-record'
import { idOf } from '../record-names'
import { type Sampled, Sampler } from './sampler'

/** The options of `svc sample`. */
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
  readonly images: RunRecord['images']
  /** A copy of the record, which lets the memory of the input be freed. */
  readonly record: JsonValue
  /** The questions whose answers can be labelled. */
  readonly questions: ReadonlyArray<string>
  /** The labels that are known already. */
  readonly labels: ReadonlyMap<string, Label>
  /** The chance with which the row is in the sample, earlier samples included; null if it is not known. */
  readonly p: number | null
}

/**
 * Draws a sample of a run, record by record. Repetitions of a row follow its first record. Rows that failed are not
 * drawn. Of rows with equal states, only the first can be among the least certain ones. Rows with labels are drawn
 * like all rows, so a second round is a larger draw, and every row had the chance that it is given.
 */
export class SampleDraw {
  private readonly sampler: Sampler<SampledRow>
  private readonly states = new Set<string>()
  private row: { readonly first: LabelledRecord; readonly repeats: RunRecord[] } | undefined
  /** True if the rows have the values that the draw uses. */
  private isShown: boolean

  constructor(private readonly options: SampleOptions) {
    const { size, by, explore, seed } = options
    const certainly = Math.round(size * (1 - explore))
    this.sampler = new Sampler<SampledRow>(certainly, size - certainly, createRandom(seed))
    this.isShown = by === 'margin'
  }

  add(labelled: LabelledRecord): void {
    const { record } = labelled
    if ((record.run ?? 0) > 0) {
      if (this.row?.first.record.index === record.index) this.row.repeats.push(record)
      return
    }
    this.offer()
    this.row = { first: labelled, repeats: [] }
  }

  /** Returns the sample; `undefined` if no row has the values that the draw uses. */
  finish(): ReadonlyArray<SampledRow> | undefined {
    this.offer()
    this.row = undefined
    const sample = this.sampler.finish()
    return this.isShown || sample.length === 0 ? sample.map(withChance) : undefined
  }

  private offer(): void {
    const { row } = this
    if (row === undefined || !isAnswered(row.first.record.outcome)) return
    const { record } = row.first
    const isNew = this.isNewState(stringIn(record.stateSha256))
    if (this.options.by === 'margin') {
      this.sampler.offer(() => copyRow(row.first), measureDoubt(record), isNew)
      return
    }
    const disagreement = measureDisagreement(record, row.repeats)
    if (disagreement !== undefined) this.isShown = true
    this.sampler.offer(() => copyRow(row.first), disagreement ?? 0, isNew)
  }

  private isNewState(state: string | undefined): boolean {
    if (state === undefined) return true
    const isNew = !this.states.has(state)
    this.states.add(state)
    return isNew
  }
}

/** A row with its chance in this sample, as a share of the chance that it had in the one before. */
const withChance = ({ item, chance }: Sampled<SampledRow>): SampledRow => ({
  ...item,
  p: chance === null || item.p === null ? null : roundNumber(item.p * chance),
})

const roundNumber = (value: number): number => Number(roundNumbers(value))

const copyRow = ({ record, runP }: LabelledRecord): SampledRow => {
  const answers = isAnswered(record.outcome) ? [...record.outcome.answers] : []
  return {
    index: record.index,
    id: idOf(record),
    stateSha256: stringIn(record.stateSha256),
    images: record.images,
    record: record.document,
    questions: answers.flatMap(([id, answer]) => (isKnown(answer) ? [id] : [])),
    labels: record.labels,
    p: runP === undefined ? 1 : runP,
  }
}

/**
 * Describes the effective size of a draw: the number of rows of equal chance that give figures as precise, by Kish.
 */
export const describeWorth = (sample: ReadonlyArray<SampledRow>): string => {
  const drawn = `${formatCount(sample.length, 'row')} drawn`
  const weights = sample.map(({ p }) => 1 / (p ?? 0))
  if (weights.includes(Number.POSITIVE_INFINITY))
    return `${drawn}, to look at: nothing can be said of the run from them`
  const total = weights.reduce((all, weight) => all + weight, 0)
  const squares = weights.reduce((all, weight) => all + weight * weight, 0)
  return `${drawn}, for figures worth ${squares === 0 ? 0 : Math.round(total ** 2 / squares)}`
}

/** The members of a record that come before the labels. */
const head = ['index', 'run', 'id', 'group']

/** The members of a record that are replaced. */
const replaced = ['labels', 'p', 'row']

/**
 * Writes a sampled record for labelling. `labels` has every question, null if it has no label yet. `p` follows it, and
 * `row`, the row of the input, comes last.
 */
export const encodeSampledRow = (
  { index, record, questions, labels, p }: SampledRow,
  row: Draft | undefined,
): Draft => {
  const members = membersIn(record)
  const list = [...members]
  return new Map<string, Draft>([
    ...(members.has('index') ? [] : [['index', index] as const]),
    ...list.filter(([name]) => head.includes(name)),
    ['labels', new Map<string, Draft>(questions.map((id) => [id, labels.get(id) ?? null]))],
    ['p', p],
    ...list.filter(([name]) => !head.includes(name) && !replaced.includes(name)),
    ...(row === undefined ? [] : [['row', row] as const]),
  ])
}

/** The margin of an answer; |2p − 1| for a noul. */
const marginOf = (answer: KnownAnswer): number | undefined =>
  answer.type === 'noul' ? Math.abs(2 * answer.noul - 1) : leadOf(answer.probabilities)?.margin

/** Measures the uncertainty of a row by margin: minus the smallest margin of its answers, from −1 (certain) to 0. */
const measureDoubt = ({ outcome }: RunRecord): number => {
  let smallest = 1
  if (isAnswered(outcome))
    for (const answer of outcome.answers.values())
      if (isKnown(answer)) smallest = Math.min(smallest, marginOf(answer) ?? 1)
  return -smallest
}

/**
 * Measures the uncertainty of a row by disagreement: the largest share of differing decisions among the repetitions of a
 * question, or among its `orders`; 0 to 1. `undefined` if it has neither.
 */
const measureDisagreement = (
  first: RunRecord,
  repeats: ReadonlyArray<RunRecord>,
): number | undefined => {
  if (!isAnswered(first.outcome)) return undefined
  let largest: number | undefined
  for (const [id, answer] of first.outcome.answers) {
    if (!isKnown(answer)) continue
    const others = repeats.flatMap(({ outcome }) => {
      const other = isAnswered(outcome) ? outcome.answers.get(id) : undefined
      return other !== undefined && isKnown(other) ? [decisionOf(other)] : []
    })
    const decided = decisionOf(answer)
    const differing = others.filter((other) => other !== decided).length
    if (others.length > 0) largest = Math.max(largest ?? 0, differing / others.length)
    if (answer.type === 'choice' && answer.orders !== undefined && answer.orders.n > 0)
      largest = Math.max(largest ?? 0, answer.orders.flips / answer.orders.n)
  }
  return largest
}
