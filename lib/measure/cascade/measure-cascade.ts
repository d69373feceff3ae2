import { canComputeCost, computeCost, roundCost, type TokenPrice } from '../../runs/batch/cost'
import {
  type CascadeCurve,
  type CascadePoint,
  type CascadeTarget,
  minEffectiveGroups,
  traceCascade,
} from '../statistics/cascade'
import { createGroupUnits } from '../statistics/units'
import type { AnswerPair, CascadePairs, PairedQuestion } from './cascade-pairs'

/** The prices of both models' tokens. */
export interface CascadePrices {
  readonly cheap: TokenPrice
  readonly expensive: TokenPrice
}

/** A tested threshold with the cost of all paired rows: absent without prices, and null if priced tokens were not counted. */
export type PricedPoint = CascadePoint & { readonly cost?: number | null }

/** The cascade of one question: the cheap model answers the rows of which it is sure, the expensive one the others. */
export interface QuestionCascade {
  readonly type: PairedQuestion['type']
  readonly pairCount: number
  /** The number of pairs in which the cheap model refused the question. */
  readonly refusedCount: number
  /** The number of labelled rows that a cut needs if both models are right in the same rows; null without labels. */
  readonly minRows: number | null
  readonly labelledCount: number
  /** The number of labelled pairs whose cheap answer is accepted: its top probability is at or above the cut. */
  readonly acceptedCount: number
  /** The tested thresholds. The first point is that of asking the expensive model about every row. */
  readonly points: ReadonlyArray<PricedPoint>
  /** The lowest threshold that is proven to lose no more accuracy than the margin of the target; null if there is none. */
  readonly cut: CascadePoint | null
  readonly noCutReason?: string
}

/** The cascades of all questions. */
export interface Cascade {
  readonly pairedRowCount: number
  /** The number of rows of the cheap run that failed. They are not paired. */
  readonly failedRowCount: number
  /** The share of rows for which at least one question asks the expensive model, from 0 to 1. */
  readonly askedShare: number
  readonly questions: ReadonlyMap<string, QuestionCascade>
}

/** Finds for each question the cut: cheap answers at or above it may replace the expensive ones. */
export const measureCascade = (
  pairs: CascadePairs,
  target: CascadeTarget,
  prices: CascadePrices | undefined,
): Cascade => {
  const questions = new Map<string, QuestionCascade>()
  const askedRows = new Set<number>()
  for (const [id, question] of pairs.questions) {
    const cascade = measureQuestion(question, pairs.usages, target, prices)
    questions.set(id, cascade)
    // Without a cut, the expensive model is asked about every row.
    const threshold = cascade.cut?.at ?? Number.POSITIVE_INFINITY
    for (const { row, topProbability } of question.pairs)
      if (topProbability < threshold) askedRows.add(row)
  }
  const pairedRowCount = pairs.usages.length
  const { failedRowCount } = pairs
  return { pairedRowCount, failedRowCount, askedShare: askedRows.size / pairedRowCount, questions }
}

const measureQuestion = (
  { type, pairs }: PairedQuestion,
  usages: CascadePairs['usages'],
  target: CascadeTarget,
  prices: CascadePrices | undefined,
): QuestionCascade => {
  const labelledPairs = pairs.filter(({ right }) => right !== undefined)
  const labelledCount = labelledPairs.length
  const refusedCount = pairs.filter(({ isRefusal }) => isRefusal).length
  const counts = { type, pairCount: pairs.length, refusedCount, labelledCount }
  const noCut = { ...counts, acceptedCount: 0, cut: null }
  if (labelledCount === 0)
    return { ...noCut, minRows: null, points: [], noCutReason: 'no labelled rows' }
  const curve = traceCascade(
    {
      topProbability: pairs.map(({ topProbability }) => topProbability),
      labelledIndexes: pairs.flatMap(({ right }, i) => (right === undefined ? [] : [i])),
      // 1 if the answer is right, else 0. Every labelled pair has `right`.
      cheapRight: labelledPairs.map(({ right }) => Number(right?.cheap)),
      expensiveRight: labelledPairs.map(({ right }) => Number(right?.expensive)),
      weights: labelledPairs.map(({ weight }) => weight),
      units: createGroupUnits(labelledPairs.map(({ group }) => group)),
    },
    target,
  )
  const { needs: minRows, cut } = curve
  const points =
    prices === undefined
      ? curve.points
      : curve.points.map((point) => ({ ...point, cost: sumCost(point.at, pairs, usages, prices) }))
  if (cut === null)
    return { ...noCut, minRows, points, noCutReason: explainNoCut(curve, labelledCount, target) }
  // The type of a point allows for null, but a cut always has a threshold.
  const threshold = cut.at ?? 0
  const acceptedPairs = labelledPairs.filter(({ topProbability }) => topProbability >= threshold)
  return { ...counts, minRows, acceptedCount: acceptedPairs.length, points, cut }
}

const explainNoCut = (
  { needs: minRows, effectiveGroups }: CascadeCurve,
  labelledCount: number,
  { margin }: CascadeTarget,
): string => {
  if (effectiveGroups !== undefined && effectiveGroups < minEffectiveGroups)
    return `a cut takes ${minEffectiveGroups} groups, and the labelled rows are worth ${Math.floor(effectiveGroups)}`
  return labelledCount < minRows
    ? `a margin of ${margin} takes at least ${minRows} labelled rows, and there are ${labelledCount}`
    : `the labels do not show that even the surest answers of a lose at most ${margin} of accuracy`
}

/**
 * Adds up the cost of the paired rows: the cheap model is asked about all of them, the expensive one about those below the
 * threshold. If the threshold is null, only the expensive model is asked. Returns null if a service did not count tokens
 * that have a price.
 */
const sumCost = (
  threshold: number | null,
  pairs: ReadonlyArray<AnswerPair>,
  usages: CascadePairs['usages'],
  prices: CascadePrices,
): number | null => {
  const totals = { cheap: { input: 0, output: 0 }, expensive: { input: 0, output: 0 } }
  /** Adds the tokens of one model for a row. Returns `false` if tokens that have a price were not counted. */
  const addTokens = (model: 'cheap' | 'expensive', row: number): boolean => {
    // Every paired row has usages. The default only satisfies the compiler.
    const usage = usages[row]?.[model] ?? { input: null, output: null }
    // Tokens that were not counted add nothing. The totals are used only if such tokens are free.
    totals[model].input += usage.input ?? 0
    totals[model].output += usage.output ?? 0
    return canComputeCost(prices[model], usage)
  }
  for (const { row, topProbability } of pairs) {
    const asksCheap = threshold !== null
    const asksExpensive = threshold === null || topProbability < threshold
    if (asksCheap && !addTokens('cheap', row)) return null
    if (asksExpensive && !addTokens('expensive', row)) return null
  }
  return roundCost(
    computeCost(prices.cheap, totals.cheap) + computeCost(prices.expensive, totals.expensive),
  )
}
