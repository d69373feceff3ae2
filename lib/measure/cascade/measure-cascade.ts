import { computeCost, hasCost, type TokenPrice } from '../../runs/batch/cost'
import {
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

/** A threshold with the cost of all paired rows. The cost is absent without prices, and null if a service did not count its tokens. */
export type PricedPoint = CascadePoint & { readonly cost?: number | null }

/** The cascade of one question. */
export interface QuestionCascade {
  readonly type: CascadeQuestion['type']
  /** The number of labelled rows that a cut needs if a and b are right in the same rows; null without labels. */
  readonly needs: number | null
  /** The number of labelled pairs. */
  readonly n: number
  /** The number of labelled pairs in which a answers: its top probability is at or above the cut. */
  readonly accepted: number
  /** The tested thresholds, beginning with b for every row. */
  readonly points: ReadonlyArray<PricedPoint>
  readonly cut: CascadePoint | null
  /** The reason why there is no cut. */
  readonly why?: string
}

/** The cascades of all questions. */
export interface Cascade {
  /** The number of paired rows. */
  readonly paired: number
  /** The share of rows for which at least one question asks b. */
  readonly asked: number
  readonly questions: ReadonlyMap<string, QuestionCascade>
}

/** Finds for each question the threshold from which on answers of the cheap run (a) may replace those of the expensive one (b). */
export const measureCascade = (
  pairs: CascadePairs,
  target: CascadeTarget,
  prices: CascadePrices | undefined,
): Cascade => {
  const questions = new Map(
    [...pairs.questions].map(([id, question]) => [
      id,
      measureQuestion(question, pairs, target, prices),
    ]),
  )
  const asked = new Set<number>()
  for (const [id, { pairs: list }] of pairs.questions)
    for (const { row, topProbability } of list)
      if (topProbability < (questions.get(id)?.cut?.at ?? Number.POSITIVE_INFINITY)) asked.add(row)
  return { paired: pairs.tokens.length, asked: asked.size / pairs.tokens.length, questions }
}

const measureQuestion = (
  { type, pairs }: CascadeQuestion,
  { tokens }: CascadePairs,
  target: CascadeTarget,
  prices: CascadePrices | undefined,
): QuestionCascade => {
  const labelled = pairs.flatMap(({ right }, i) => (right === undefined ? [] : [i]))
  if (labelled.length === 0)
    return { type, needs: null, n: 0, accepted: 0, points: [], cut: null, why: 'no labelled rows' }
  const known = labelled.map((i) => pairs[i] as QuestionPair)
  const curve = traceCascade(
    {
      topProbability: pairs.map(({ topProbability }) => topProbability),
      labelledIndexes: labelled,
      rightA: known.map(({ right }) => Number(right?.a)),
      rightB: known.map(({ right }) => Number(right?.b)),
      weights: known.map(({ weight }) => weight),
      units: createGroupUnits(known.map(({ group }) => group)),
    },
    target,
  )
  const { needs, cut, effectiveGroups } = curve
  const points =
    prices === undefined
      ? curve.points
      : curve.points.map((point) => ({ ...point, cost: sumCost(point, pairs, tokens, prices) }))
  const accepted = known.filter(
    ({ topProbability }) => cut !== null && topProbability >= (cut.at ?? 0),
  ).length
  const why =
    cut === null ? { why: explainNoCut(needs, known.length, effectiveGroups, target) } : {}
  return { type, needs, n: known.length, accepted, points, cut, ...why }
}

const explainNoCut = (
  needs: number,
  n: number,
  effectiveGroups: number | undefined,
  { margin }: CascadeTarget,
): string => {
  if (effectiveGroups !== undefined && effectiveGroups < minEffectiveGroups)
    return `a cut takes ${minEffectiveGroups} groups, and the labelled rows are worth ${Math.floor(effectiveGroups)}`
  return n < needs
    ? `a margin of ${margin} takes at least ${needs} labelled rows, and there are ${n}`
    : `the labels do not show that even the surest answers of a lose at most ${margin} of accuracy`
}

/**
 * Adds up the cost of the paired rows: a is asked about all of them, and b about those below the threshold. Without a threshold, only
 * b is asked. Null if a service did not count its tokens.
 */
const sumCost = (
  { at }: CascadePoint,
  pairs: ReadonlyArray<QuestionPair>,
  tokens: CascadePairs['tokens'],
  prices: CascadePrices,
): number | null => {
  const total = { a: { input: 0, output: 0 }, b: { input: 0, output: 0 } }
  const add = (run: 'a' | 'b', row: number): boolean => {
    const count = tokens[row]?.[run] as PairTokens
    total[run].input += count.input ?? 0
    total[run].output += count.output ?? 0
    return hasCost(prices[run], count)
  }
  for (const { row, topProbability } of pairs) {
    if (at !== null && !add('a', row)) return null
    if ((at === null || topProbability < at) && !add('b', row)) return null
  }
  return Number((computeCost(prices.a, total.a) + computeCost(prices.b, total.b)).toPrecision(12))
}
