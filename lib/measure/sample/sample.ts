import type { JsonValue } from '../../codec/json/json'
import { findTopAndMargin } from '../../codec/probabilities'
import type { Label, RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { createRandom } from '../../runtime/random'
import { formatCount } from '../../text/table'
import { decisionOf, isKnown, type KnownAnswer } from '../decision'
import { roundNumbers } from '../format-figures'
import { idOf, isRepetition, type LabelledRecord } from '../labels/labelled-record'
import { computeEffectiveSize } from '../statistics/numbers'
import { type SampledItem, Sampler } from './sampler'

export interface SampleOptions {
  readonly size: number
  /** The measure of uncertainty: the margin of answers, or the disagreement of repetitions and of orders of the labels. */
  readonly by: 'margin' | 'disagree'
  /** The share of the sample that is drawn at random, 0 to 1. The other rows are the most uncertain ones. */
  readonly randomShare: number
  readonly seed: number
}

export interface SampledRow {
  readonly index: number
  readonly id: string | undefined
  readonly stateSha256: string | undefined
  readonly images: RunRecord['images']
  readonly record: JsonValue
  /** The questions whose answers can be labelled. */
  readonly questions: ReadonlyArray<string>
  /** The labels that are known already. */
  readonly labels: ReadonlyMap<string, Label>
  /** The chance with which the row is in the sample. If the run is itself a sample, that chance is included. Null if unknown. */
  readonly p: number | null
}

/**
 * Draws a sample of the answered rows of a run. Repetitions of a row must follow its first record. Of rows with equal states (the
 * JSON that the questions are about), only the first can be drawn as uncertain.
 *
 * Rows that have labels already are drawn like the others. For this reason a larger draw with the same seed contains the smaller
 * one, and `p` is the chance of every row.
 */
export class SampleDraw {
  private readonly sampler: Sampler<SampledRow>
  private readonly seenStates = new Set<string>()
  /** The row whose repetitions are being read. */
  private currentRow:
    | { readonly first: LabelledRecord; readonly repetitions: RunRecord[] }
    | undefined
  /** `true` if the uncertainty of any row can be measured. */
  private hasUncertainty: boolean

  constructor(private readonly options: SampleOptions) {
    const { size, by, randomShare, seed } = options
    const uncertainCount = Math.round(size * (1 - randomShare))
    this.sampler = new Sampler<SampledRow>({
      uncertainCount,
      randomCount: size - uncertainCount,
      random: createRandom(seed),
    })
    this.hasUncertainty = by === 'margin'
  }

  add(labelled: LabelledRecord): void {
    const { record } = labelled
    if (isRepetition(record)) {
      const row = this.currentRow
      if (row?.first.record.index === record.index) row.repetitions.push(record)
      return
    }
    this.offerCurrentRow()
    this.currentRow = { first: labelled, repetitions: [] }
  }

  /** Returns the sample; `undefined` for a draw by disagreement if no row has repetitions or orders. */
  finish(): ReadonlyArray<SampledRow> | undefined {
    this.offerCurrentRow()
    this.currentRow = undefined
    const sample = this.sampler.finish()
    if (sample.length > 0 && !this.hasUncertainty) return undefined
    return sample.map(multiplyChance)
  }

  /** Offers the current row to the sampler. All of its repetitions must have been added. */
  private offerCurrentRow(): void {
    const row = this.currentRow
    if (row === undefined || !isAnswered(row.first.record.outcome)) return
    const { record } = row.first
    const isNewState = this.addState(record.stateSha256)
    const uncertainty =
      this.options.by === 'margin'
        ? measureMarginUncertainty(record)
        : measureDisagreement(record, row.repetitions)
    if (uncertainty !== undefined) this.hasUncertainty = true
    // A row that cannot disagree, for want of repetitions and orders, counts as certain.
    this.sampler.offer(() => createSampledRow(row.first), uncertainty ?? 0, isNewState)
  }

  /** Adds the digest of a state. Returns `false` if an earlier row has the same one. */
  private addState(digest: string | undefined): boolean {
    if (digest === undefined) return true
    const isNew = !this.seenStates.has(digest)
    this.seenStates.add(digest)
    return isNew
  }
}

/** Multiplies the chance that a row had in the run by its chance in this draw. */
const multiplyChance = ({ item, chance }: SampledItem<SampledRow>): SampledRow => ({
  ...item,
  p: chance === null || item.p === null ? null : Number(roundNumbers(item.p * chance)),
})

const createSampledRow = ({ record, runP }: LabelledRecord): SampledRow => {
  const answers = isAnswered(record.outcome) ? [...record.outcome.answers] : []
  return {
    index: record.index,
    id: idOf(record),
    stateSha256: record.stateSha256,
    images: record.images,
    record: record.document,
    questions: answers.flatMap(([id, answer]) => (isKnown(answer) ? [id] : [])),
    labels: record.labels,
    // A run that is no sample has all rows. `??` would turn null, which means unknown, into 1 too.
    p: runP === undefined ? 1 : runP,
  }
}

/** Describes how many rows were drawn, and what they are worth: the number of rows of equal chance that give equally precise figures. */
export const describeWorth = (sample: ReadonlyArray<SampledRow>): string => {
  const drawn = `${formatCount(sample.length, 'row')} drawn`
  const weights: number[] = []
  for (const { p } of sample) {
    if (p === null)
      return `${drawn}, to look at only: figures of the run need rows that were drawn by chance`
    weights.push(1 / p)
  }
  return `${drawn}, for figures worth ${Math.round(computeEffectiveSize(weights))}`
}

/** Measures the margin of an answer: the distance between its two largest probabilities. `undefined` without probabilities. */
const measureMargin = (answer: KnownAnswer): number | undefined => {
  // A noul, the answer to a yes/no question, has the probabilities p and 1 − p. Their distance is |2p − 1|.
  if (answer.type === 'noul') return Math.abs(2 * answer.noul - 1)
  return findTopAndMargin(answer.probabilities)?.margin
}

/** Measures the uncertainty of a row by the smallest margin of its answers: from −1 for certain to 0 for undecided. */
const measureMarginUncertainty = ({ outcome }: RunRecord): number => {
  // Only answered rows are offered, so the −1 is not used.
  if (!isAnswered(outcome)) return -1
  const margins = [...outcome.answers.values()].filter(isKnown).map(measureMargin)
  // A row without any margin counts as certain.
  return -Math.min(1, ...margins.filter((margin) => margin !== undefined))
}

/**
 * Measures the uncertainty of a row by the disagreement about any question, 0 to 1: the largest share of repetitions, or of orders
 * of the labels (`--permute`), whose decision differs. `undefined` if the row has neither.
 */
const measureDisagreement = (
  first: RunRecord,
  repetitions: ReadonlyArray<RunRecord>,
): number | undefined => {
  if (!isAnswered(first.outcome)) return undefined
  const differingShares: number[] = []
  for (const [id, answer] of first.outcome.answers) {
    if (!isKnown(answer)) continue
    const decision = decisionOf(answer)
    const otherDecisions = listDecisions(id, repetitions)
    const differing = otherDecisions.filter((other) => other !== decision)
    if (otherDecisions.length > 0) differingShares.push(differing.length / otherDecisions.length)
    if (answer.type === 'choice' && answer.orders !== undefined && answer.orders.n > 0)
      differingShares.push(answer.orders.flips / answer.orders.n)
  }
  return differingShares.length === 0 ? undefined : Math.max(...differingShares)
}

const listDecisions = (
  id: string,
  repetitions: ReadonlyArray<RunRecord>,
): ReadonlyArray<string | undefined> =>
  repetitions.flatMap(({ outcome }) => {
    const answer = isAnswered(outcome) ? outcome.answers.get(id) : undefined
    return answer !== undefined && isKnown(answer) ? [decisionOf(answer)] : []
  })
