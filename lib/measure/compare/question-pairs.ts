import type { JsonValue } from '../../codec/json/json'
import { clipProbability, minProbability } from '../../runs/policy/calibration-map'
import { cohenKappa } from '../statistics/classification'
import { computeEffectiveSize, type Numbers } from '../statistics/numbers'
import { createGroupUnits, createRowUnits, type Units } from '../statistics/units'
import type { ComparedAnswer, ComparedType } from './compared-answer'

/** A row whose decision differs between the runs, as in the document of `svc compare`. */
type Flip = {
  readonly index: number
  /** The id as in the record of `a`. */
  readonly id: JsonValue | undefined
  /** The decision of each run. */
  readonly a: string
  readonly b: string
}

/** The row of a pair. */
interface PairedRow {
  /** The index of the row's group; −1 for none. */
  readonly group: number
  /** The number of rows of the run that the row represents: 1 divided by the chance with which it was drawn. */
  readonly weight: number
  readonly createFlip: (decisionOfA: string, decisionOfB: string) => Flip
}

/** The losses of b minus those of a, for each labelled pair with probabilities. */
export interface LossDifferences {
  /** The Brier loss, or for a score the ranked probability score. */
  readonly mainLosses: Numbers
  readonly logLosses: Numbers
  readonly weights: Numbers
  readonly units: Units
}

const maxListedFlips = 100

/**
 * The pairs of answers to one question: that of run a and that of run b to the same row. To save memory it stores sums, and
 * single losses only of labelled pairs.
 */
export class QuestionPairs {
  /** The type of the answers; `undefined` if all are refusals. */
  type: ComparedType | undefined
  /** The number of answers without an answer to the same question in the other run. */
  readonly unpaired = { a: 0, b: 0 }
  /** The first rows whose decisions differ. */
  readonly flips: Flip[] = []
  pairCount = 0
  /** The number of pairs whose decisions differ. */
  flipCount = 0
  /** The number of labelled pairs in which only b is right. */
  fixedCount = 0
  /** The number of labelled pairs in which only a is right. */
  brokenCount = 0
  /** The number of labelled pairs. */
  labelledCount = 0
  /** The number of pairs without refusals in which an answer has no probabilities. */
  withoutProbabilities = 0
  /** The number of pairs in which an answer has no decision, because it is a score without probabilities. */
  undecidedCount = 0
  /** The weight of the pairs in which both answers have a decision, and of those with the same decision. */
  private decidedWeight = 0
  private agreeingWeight = 0
  /** The sum of weight times total variation distance of the pairs with probabilities, and the sum of their weights. */
  private weightedShift = 0
  private shiftWeight = 0
  /** The weight of the pairs by both decisions. */
  private readonly decisions = new Map<string, { a: string; b: string; weight: number }>()
  /**
   * For each labelled pair with probabilities: the main loss of b minus that of a, the log loss of b minus that of a, and the
   * group and weight of the row.
   */
  private readonly mainLosses: number[] = []
  private readonly logLosses: number[] = []
  private readonly groups: number[] = []
  private readonly weights: number[] = []
  /** The number of levels of a score: at least 2, and more if an answer or a label has a higher level. */
  private levelCount = 2

  /** Adds a pair. The label is that of the row in `a`. */
  add(a: ComparedAnswer, b: ComparedAnswer, row: PairedRow): void {
    this.pairCount++
    if (a.decision === undefined || b.decision === undefined) this.undecidedCount++
    else this.addDecisions(a.decision, b.decision, row)
    // A refusal counts as a decision, but it has no probabilities, and so no shift.
    const hasRefusal = a.type === 'refusal' || b.type === 'refusal'
    const isComplete = a.probabilities.length > 0 && b.probabilities.length > 0
    if (isComplete) {
      this.weightedShift += row.weight * measureTotalVariation(a, b)
      this.shiftWeight += row.weight
    } else if (!hasRefusal) this.withoutProbabilities++
    const { truth } = a
    if (truth === undefined) return
    this.countRight(a.decision, b.decision, truth)
    if (!isComplete) return
    this.mainLosses.push(this.computeMainLoss(b, truth) - this.computeMainLoss(a, truth))
    this.logLosses.push(this.computeLogLoss(b, truth) - this.computeLogLoss(a, truth))
    this.groups.push(row.group)
    this.weights.push(row.weight)
  }

  private addDecisions(a: string, b: string, row: PairedRow): void {
    const key = JSON.stringify([a, b])
    const decisionPair = this.decisions.get(key) ?? { a, b, weight: 0 }
    decisionPair.weight += row.weight
    this.decisions.set(key, decisionPair)
    this.decidedWeight += row.weight
    if (a === b) {
      this.agreeingWeight += row.weight
      return
    }
    this.flipCount++
    if (this.flips.length < maxListedFlips) this.flips.push(row.createFlip(a, b))
  }

  private countRight(a: string | undefined, b: string | undefined, truth: string): void {
    this.labelledCount++
    if (a === undefined || b === undefined) return
    if (a !== truth && b === truth) this.fixedCount++
    if (a === truth && b !== truth) this.brokenCount++
  }

  /** Returns the share of pairs with the same decision; null if no pair has a decision. */
  agreement(): number | null {
    return this.decidedWeight === 0 ? null : this.agreeingWeight / this.decidedWeight
  }

  /** Returns Cohen's kappa of the decisions; null if both runs always decide for the same label. */
  kappa(): number | null {
    const pairs = [...this.decisions.values()]
    const labels = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))]
    const columns = labels.length
    const values = new Float64Array(columns ** 2)
    for (const { a, b, weight } of pairs)
      values[labels.indexOf(a) * columns + labels.indexOf(b)] = weight
    return cohenKappa({ values, columns })
  }

  /** Returns the mean total variation distance of the probabilities; null if some are missing. */
  meanShift(): number | null {
    const isMissing = this.shiftWeight === 0 || this.withoutProbabilities > 0
    return isMissing ? null : this.weightedShift / this.shiftWeight
  }

  /** Explains why the pairs are not independent draws, which McNemar's test needs. Returns `undefined` if they are. */
  explainDependence(): string | undefined {
    if (this.isGrouped()) return 'rows in groups are not independent draws'
    const { weights } = this
    // The effective size is the number of rows if all weights are equal. The tolerance is for rounding errors.
    const isWeighted =
      Math.abs(computeEffectiveSize(weights) - weights.length) > 1e-9 * weights.length
    return isWeighted ? 'rows with different weights are not independent draws' : undefined
  }

  private isGrouped(): boolean {
    return this.groups.some((group) => group >= 0)
  }

  /** Returns the losses of b minus those of a. */
  lossDifferences(): LossDifferences {
    // `computeMainLoss` does not divide by the number of levels less one, which is known only after the last pair.
    const divisor = this.type === 'score' ? this.levelCount - 1 : 1
    return {
      mainLosses: this.mainLosses.map((loss) => loss / divisor),
      logLosses: this.logLosses,
      weights: this.weights,
      units: this.isGrouped()
        ? createGroupUnits(this.groups)
        : createRowUnits(this.mainLosses.length),
    }
  }

  /**
   * Computes the main loss of an answer if the label `truth` is right. For a noul (the answer to a yes/no question) it is the
   * Brier loss of a yes. For a choice it is the Brier loss summed over all labels (Brier 1950). For a score it is the ranked
   * probability score (Epstein 1969) times the number of levels less one.
   */
  private computeMainLoss(answer: ComparedAnswer, truth: string): number {
    if (this.type === 'score') return this.computeRankedScore(answer, truth)
    const truthProbability = probabilityOf(answer, truth)
    const truthLoss = (1 - truthProbability) ** 2
    if (this.type === 'noul') return truthLoss
    let sumOfSquares = 0
    for (const probability of answer.probabilities) sumOfSquares += probability ** 2
    return sumOfSquares - truthProbability ** 2 + truthLoss
  }

  /** Sums the squared errors of the cumulative probabilities. Increases `levelCount` if an answer or a label has a higher level. */
  private computeRankedScore({ labels, probabilities }: ComparedAnswer, truth: string): number {
    const probabilityOfLevel: number[] = []
    labels.forEach((label, i) => {
      probabilityOfLevel[Number(label)] = probabilities[i] as number
    })
    const rightLevel = Number(truth)
    const levelCount = Math.max(probabilityOfLevel.length, rightLevel + 1)
    this.levelCount = Math.max(this.levelCount, levelCount)
    let cumulative = 0
    let squaredErrors = 0
    for (let level = 0; level < levelCount - 1; level++) {
      cumulative += probabilityOfLevel[level] ?? 0
      const target = level >= rightLevel ? 1 : 0
      squaredErrors += (cumulative - target) ** 2
    }
    return squaredErrors
  }

  /** Computes −ln p of the right label, with p clipped as in the log loss of `svc eval`. */
  private computeLogLoss(answer: ComparedAnswer, truth: string): number {
    const probability = probabilityOf(answer, truth)
    const clipped =
      this.type === 'noul' ? clipProbability(probability) : Math.max(probability, minProbability)
    return -Math.log(clipped)
  }
}

const probabilityOf = ({ labels, probabilities }: ComparedAnswer, label: string): number =>
  probabilities[labels.indexOf(label)] ?? 0

/** Computes the total variation distance ½ Σ |aₖ − bₖ| over all labels. */
const measureTotalVariation = (a: ComparedAnswer, b: ComparedAnswer): number => {
  const labels = a.labels === b.labels ? a.labels : new Set([...a.labels, ...b.labels])
  let total = 0
  for (const label of labels) total += Math.abs(probabilityOf(a, label) - probabilityOf(b, label))
  return total / 2
}
