import { canComputeCost, computeCost, roundCost, type TokenPrice } from '../../runs/batch/cost'
import {
  type CascadeCurve,
  type CascadePoint,
  type CascadeTarget,
  minEffectiveGroups,
  traceCascade,
} from '../statistics/cascade'
import { createGroupUnits } from '../statistics/units'
import type { CascadePairs, CascadeQuestion, PairTokens, QuestionPair } from './cascade-pairs'

/** The prices of both models' tokens. */
export interface CascadePrices {
  readonly a: TokenPrice
  readonly b: TokenPrice
}

/** A tested threshold with the cost of all paired rows. The cost is absent without prices, and null if a service did not count its tokens. */
export type PricedPoint = CascadePoint & { readonly cost?: number | null }

/** The cascade of one question: the answers of the cheap model (a) for some rows, those of the expensive one (b) for the others. */
export interface QuestionCascade {
  readonly type: CascadeQuestion['type']
  /** The number of labelled rows that a cut needs if a and b are right in the same rows; null without labels. */
  readonly minRows: number | null
  /** The number of labelled pairs. */
  readonly labelledCount: number
  /** The number of labelled pairs in which a answers: its top probability is at or above the cut. */
  readonly acceptedCount: number
  /** The tested thresholds. The first point is that of asking b about every row. */
  readonly points: ReadonlyArray<PricedPoint>
  /** The lowest threshold at which the loss of accuracy is proven to be within the margin; null if there is none. */
  readonly cut: CascadePoint | null
  /** The reason why there is no cut. */
  readonly noCutReason?: string
}

/** The cascades of all questions. */
export interface Cascade {
  /** The number of paired rows. */
  readonly pairedRowCount: number
  /** The share of rows for which at least one question asks b, from 0 to 1. */
  readonly askedShare: number
  readonly questions: ReadonlyMap<string, QuestionCascade>
}

/** Finds for each question the cut: answers of the cheap run (a) at or above it may replace those of the expensive one (b). */
export const measureCascade = (
  pairs: CascadePairs,
  target: CascadeTarget,
  prices: CascadePrices | undefined,
): Cascade => {
  const questions = new Map<string, QuestionCascade>()
  const askedRows = new Set<number>()
  for (const [id, question] of pairs.questions) {
    const measured = measureQuestion(question, pairs.tokens, target, prices)
    questions.set(id, measured)
    // Without a cut, b is asked about every row.
    const threshold = measured.cut?.at ?? Number.POSITIVE_INFINITY
    for (const { row, topProbability } of question.pairs) {
      if (topProbability < threshold) askedRows.add(row)
    }
  }
  const pairedRowCount = pairs.tokens.length
  return { pairedRowCount, askedShare: askedRows.size / pairedRowCount, questions }
}

const measureQuestion = (
  { type, pairs }: CascadeQuestion,
  tokens: CascadePairs['tokens'],
  target: CascadeTarget,
  prices: CascadePrices | undefined,
): QuestionCascade => {
  const labelledIndexes: number[] = []
  const labelledPairs: QuestionPair[] = []
  for (const [i, pair] of pairs.entries()) {
    if (pair.right === undefined) continue
    labelledIndexes.push(i)
    labelledPairs.push(pair)
  }
  const labelledCount = labelledPairs.length
  if (labelledCount === 0) {
    const noCutReason = 'no labelled rows'
    return {
      type,
      minRows: null,
      labelledCount,
      acceptedCount: 0,
      points: [],
      cut: null,
      noCutReason,
    }
  }
  const curve = traceCascade(
    {
      topProbability: pairs.map(({ topProbability }) => topProbability),
      labelledIndexes,
      rightA: labelledPairs.map(({ right }) => Number(right?.a)),
      rightB: labelledPairs.map(({ right }) => Number(right?.b)),
      weights: labelledPairs.map(({ weight }) => weight),
      units: createGroupUnits(labelledPairs.map(({ group }) => group)),
    },
    target,
  )
  const { needs: minRows, cut } = curve
  const points =
    prices === undefined
      ? curve.points
      : curve.points.map((point) => ({ ...point, cost: sumCost(point, pairs, tokens, prices) }))
  if (cut === null) {
    const noCutReason = explainNoCut(curve, labelledCount, target)
    return { type, minRows, labelledCount, acceptedCount: 0, points, cut, noCutReason }
  }
  const threshold = cut.at ?? 0
  const acceptedPairs = labelledPairs.filter(({ topProbability }) => topProbability >= threshold)
  return { type, minRows, labelledCount, acceptedCount: acceptedPairs.length, points, cut }
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
 * Adds up the cost of the paired rows: a is asked about all of them, and b about those below the threshold. Without a threshold, only
 * b is asked. Null if a service did not count its tokens.
 */
const sumCost = (
  { at: threshold }: CascadePoint,
  pairs: ReadonlyArray<QuestionPair>,
  tokens: CascadePairs['tokens'],
  prices: CascadePrices,
): number | null => {
  const totals = { a: { input: 0, output: 0 }, b: { input: 0, output: 0 } }
  /** Adds the tokens of a row in a run. Returns `false` if they were not counted. */
  const addTokens = (run: 'a' | 'b', row: number): boolean => {
    const rowTokens = tokens[row]?.[run] as PairTokens
    totals[run].input += rowTokens.input ?? 0
    totals[run].output += rowTokens.output ?? 0
    return canComputeCost(prices[run], rowTokens)
  }
  for (const { row, topProbability } of pairs) {
    const asksA = threshold !== null
    const asksB = threshold === null || topProbability < threshold
    if (asksA && !addTokens('a', row)) return null
    if (asksB && !addTokens('b', row)) return null
  }
  return roundCost(computeCost(prices.a, totals.a) + computeCost(prices.b, totals.b))
}
