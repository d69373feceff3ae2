import { clipProbability, minProbability } from '../../runs/policy/calibration-map'
import { hasUnequalWeights, type Numbers } from '../statistics/numbers'
import { createGroupUnits, createRowUnits, type Units } from '../statistics/units'
import { type ComparedAnswer, probabilityIn } from './compared-answer'

/** The losses of b minus those of a, for each labelled pair with probabilities. */
export interface LossDifferences {
  /** The Brier loss, or for a score the ranked probability score. */
  readonly mainLosses: Numbers
  readonly logLosses: Numbers
  readonly weights: Numbers
  /** What the bootstrap draws: the groups of rows, or single rows without groups. */
  readonly units: Units
}

/** Collects the losses of labelled pairs of answers to one question. */
export class PairLosses {
  private readonly mainLosses: number[] = []
  private readonly logLosses: number[] = []
  private readonly weights: number[] = []
  /** The index of each row's group; −1 for none. */
  private readonly groups: number[] = []
  /** The number of levels of a score: at least 2, and more if an answer or a label has a higher level. */
  private levelCount = 2

  /** Adds a pair of answers with probabilities, of which the label `truth` is right. */
  add(a: ComparedAnswer, b: ComparedAnswer, truth: string, weight: number, group: number): void {
    this.mainLosses.push(this.computeMainLoss(b, truth) - this.computeMainLoss(a, truth))
    this.logLosses.push(computeLogLoss(b, truth) - computeLogLoss(a, truth))
    this.weights.push(weight)
    this.groups.push(group)
  }

  differences(): LossDifferences {
    const { logLosses, weights, groups } = this
    return {
      // `computeMainLoss` leaves out this division, because the number of levels is known only after the last pair.
      mainLosses: this.mainLosses.map((loss) => loss / (this.levelCount - 1)),
      logLosses,
      weights,
      units: this.isGrouped() ? createGroupUnits(groups) : createRowUnits(groups.length),
    }
  }

  /** Explains why the pairs are not independent draws, which McNemar's test needs. Returns `undefined` if they are. */
  explainDependence(): string | undefined {
    if (this.isGrouped()) return 'rows in groups are not independent draws'
    return hasUnequalWeights(this.weights)
      ? 'rows with different weights are not independent draws'
      : undefined
  }

  private isGrouped(): boolean {
    return this.groups.some((group) => group >= 0)
  }

  /**
   * Computes the main loss of an answer. For a noul (the answer to a yes/no question) it is the Brier loss of a yes. For a choice it
   * is the Brier loss summed over all labels (Brier 1950). For a score it is the ranked probability score (Epstein 1969) times the
   * number of levels less one.
   */
  private computeMainLoss(answer: ComparedAnswer, truth: string): number {
    if (answer.type === 'score') return this.computeRankedScore(answer, truth)
    const truthProbability = probabilityIn(answer, truth)
    const truthLoss = (1 - truthProbability) ** 2
    if (answer.type === 'noul') return truthLoss
    let sumOfSquares = 0
    for (const probability of answer.probabilities) sumOfSquares += probability ** 2
    return sumOfSquares - truthProbability ** 2 + truthLoss
  }

  /** Adds up the squared errors of the cumulative probabilities. Increases `levelCount` if an answer or a label has a higher level. */
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
}

/** Computes −ln p of the right label, with p clipped as in the log loss of `svc eval`. */
const computeLogLoss = (answer: ComparedAnswer, truth: string): number => {
  const probability = probabilityIn(answer, truth)
  const clipped =
    answer.type === 'noul' ? clipProbability(probability) : Math.max(probability, minProbability)
  return -Math.log(clipped)
}
