import { clipProbability, minProbability } from '../../runs/policy/calibration-map'
import { findAscendingOrder, mapNumbers, type Numbers, pickNumbers } from '../statistics/numbers'
import { createGroupUnits, createRowUnits, type Units } from '../statistics/units'
import { type ComparedAnswer, probabilityIn } from './compared-answer'
import type { PairedRow } from './labelled-pairs'

/** The losses of run b minus those of run a, for each labelled pair with probabilities. */
export interface LossDifferences {
  /** The differences of the Brier loss, or for a score of the ranked probability score. */
  readonly mainLossDifferences: Numbers
  readonly logLossDifferences: Numbers
  readonly weights: Numbers
  /** The units that the bootstrap draws: the groups of rows, or single rows without groups. */
  readonly units: Units
}

/** Collects the losses of labelled pairs of answers to one question. */
export class PairLosses {
  private readonly mainLossDifferences: number[] = []
  private readonly logLossDifferences: number[] = []
  private readonly rows: PairedRow[] = []
  /** The number of levels of a score: at least 2, and more if an answer or a label has a higher level. Stays 2 for other types. */
  private levelCount = 2

  /** Adds a pair of answers with probabilities, of which the label `truth` is right. */
  add(a: ComparedAnswer, b: ComparedAnswer, truth: string, row: PairedRow): void {
    for (const answer of [a, b])
      if (answer.type === 'score')
        this.levelCount = Math.max(this.levelCount, countLevels(answer, truth))
    this.mainLossDifferences.push(computeMainLoss(b, truth) - computeMainLoss(a, truth))
    this.logLossDifferences.push(computeLogLoss(b, truth) - computeLogLoss(a, truth))
    this.rows.push(row)
  }

  /** Returns the losses in the order of their indexes, because the bootstrap must not depend on the order of lines. */
  differences(): LossDifferences {
    const { rows } = this
    const order = findAscendingOrder(rows.map(({ index }) => index))
    const sort = (numbers: Numbers): Numbers =>
      order === undefined ? numbers : pickNumbers(numbers, order)
    // `computeMainLoss` leaves out this division for scores, since their number of levels is known only after the last pair. For
    // other types, the divisor is 1.
    const divisor = this.levelCount - 1
    const isGrouped = rows.some(({ group }) => group >= 0)
    return {
      mainLossDifferences: mapNumbers(
        sort(this.mainLossDifferences),
        (difference) => difference / divisor,
      ),
      logLossDifferences: sort(this.logLossDifferences),
      weights: sort(rows.map(({ weight }) => weight)),
      units: isGrouped
        ? createGroupUnits(sort(rows.map(({ group }) => group)))
        : createRowUnits(rows.length),
    }
  }
}

/**
 * Computes the main loss of an answer. For a noul (the answer to a yes/no question) it is the Brier loss of a yes. For a choice it
 * is the Brier loss summed over all labels (Brier 1950). For a score it is the ranked probability score (Epstein 1969) times the
 * number of levels less one.
 */
const computeMainLoss = (answer: ComparedAnswer, truth: string): number => {
  if (answer.type === 'score') return sumRankedErrors(answer, truth)
  const truthProbability = probabilityIn(answer, truth)
  const truthLoss = (1 - truthProbability) ** 2
  if (answer.type === 'noul') return truthLoss
  let sumOfSquares = 0
  for (const probability of answer.probabilities) sumOfSquares += probability ** 2
  return sumOfSquares - truthProbability ** 2 + truthLoss
}

/** Counts the levels from 0 to the highest one that the answer lists, or to the right one if that is higher. */
const countLevels = ({ labels }: ComparedAnswer, truth: string): number =>
  Math.max(...labels.map(Number), Number(truth)) + 1

/** Adds up the squared errors of the cumulative probabilities of a score, level by level. */
const sumRankedErrors = (answer: ComparedAnswer, truth: string): number => {
  const rightLevel = Number(truth)
  const levelCount = countLevels(answer, truth)
  let cumulative = 0
  let squaredErrors = 0
  // The last level is left out, because the cumulative probability is 1 there.
  for (let level = 0; level < levelCount - 1; level++) {
    cumulative += probabilityIn(answer, String(level))
    const target = level >= rightLevel ? 1 : 0
    squaredErrors += (cumulative - target) ** 2
  }
  return squaredErrors
}

/** Computes −ln p of the right label, with p kept away from 0 (and for a noul from 1), as in the log loss of `svc eval`. */
const computeLogLoss = (answer: ComparedAnswer, truth: string): number => {
  const probability = probabilityIn(answer, truth)
  const clipped =
    answer.type === 'noul' ? clipProbability(probability) : Math.max(probability, minProbability)
  return -Math.log(clipped)
}
