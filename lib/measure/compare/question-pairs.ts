import type { JsonValue } from '../../codec/json/json'
import { formatCount } from '../../text/table'
import { cohenKappa } from '../statistics/classification'
import { type ComparedAnswer, type ComparedType, probabilityIn } from './compared-answer'
import { LabelledPairs, type PairedRow } from './labelled-pairs'
import { PairLosses } from './pair-losses'

/**
 * A flip: a row whose decision differs between run a and run b. It is a `type`, because svc encodes it as JSON, and TypeScript does
 * not accept an interface there.
 */
type Flip = {
  readonly index: number
  /** The id as in the record of a. */
  readonly id: JsonValue | undefined
  readonly a: string
  readonly b: string
}

/** The row of a pair, with a function that describes a flip of its decision. */
interface NamedRow {
  readonly row: PairedRow
  readonly createFlip: (decisionOfA: string, decisionOfB: string) => Flip
}

const maxListedFlips = 100

/**
 * The pairs of answers to one question: that of run a and that of run b to the same row. To save memory it stores sums, and
 * single losses only of labelled pairs.
 */
export class QuestionPairs {
  /** The type of the answers; `undefined` if all are refusals. */
  type: ComparedType | undefined
  /** The number of answers of each run without an answer to the same question and row in the other run. */
  readonly unpaired = { a: 0, b: 0 }
  /** The first `maxListedFlips` rows whose decisions differ. */
  readonly flips: Flip[] = []
  /** The losses of the labelled pairs in which both answers have probabilities. */
  readonly losses = new PairLosses()
  /** The decisions of the labelled pairs. */
  readonly labelled = new LabelledPairs()
  pairCount = 0
  flipCount = 0
  /** The number of pairs without refusals in which an answer has no probabilities. */
  withoutProbabilities = 0
  /** The number of pairs in which an answer has no decision, because it is a score without probabilities. */
  undecidedCount = 0
  /** The weight of the pairs in which both answers have a decision. */
  private decidedWeight = 0
  /** The weight of the pairs with the same decision. */
  private agreeingWeight = 0
  /** The weight of the pairs with probabilities. */
  private shiftWeight = 0
  /** The weighted sum of the total variation distances of the pairs with probabilities. */
  private weightedShift = 0
  /** The weight of the pairs by both decisions. */
  private readonly decisions = new Map<string, { a: string; b: string; weight: number }>()

  /** Adds a pair. The label is that of the row in a. */
  add(a: ComparedAnswer, b: ComparedAnswer, namedRow: NamedRow): void {
    const { row } = namedRow
    this.pairCount++
    if (a.decision === undefined || b.decision === undefined) this.undecidedCount++
    else this.addDecisions(a.decision, b.decision, namedRow)
    // A refusal counts as a decision, but it has no probabilities, and so no shift.
    const hasRefusal = a.type === 'refusal' || b.type === 'refusal'
    const hasProbabilities = a.probabilities.length > 0 && b.probabilities.length > 0
    if (hasProbabilities) {
      this.weightedShift += row.weight * measureTotalVariation(a, b)
      this.shiftWeight += row.weight
    } else if (!hasRefusal) this.withoutProbabilities++
    const { truth } = a
    if (truth === undefined) return
    this.labelled.add(a.decision, b.decision, truth, row)
    if (hasProbabilities) this.losses.add(a, b, truth, row)
  }

  private addDecisions(a: string, b: string, { row, createFlip }: NamedRow): void {
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
    if (this.flips.length < maxListedFlips) this.flips.push(createFlip(a, b))
  }

  /** Returns the share of pairs with the same decision; null if no pair has a decision. */
  agreement(): number | null {
    return this.decidedWeight === 0 ? null : this.agreeingWeight / this.decidedWeight
  }

  /**
   * Returns Cohen's kappa, the agreement of the decisions beyond chance. Null if both runs always decide for the same label, or if no
   * pair has a decision.
   */
  kappa(): number | null {
    const pairs = [...this.decisions.values()]
    const labels = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))]
    const columns = labels.length
    const values = new Float64Array(columns ** 2)
    for (const { a, b, weight } of pairs)
      values[labels.indexOf(a) * columns + labels.indexOf(b)] = weight
    return cohenKappa({ values, columns })
  }

  /**
   * Returns the mean total variation distance of the probabilities. Null if no pair has probabilities, or if a pair without refusals
   * lacks some.
   */
  meanShift(): number | null {
    const isMissing = this.shiftWeight === 0 || this.withoutProbabilities > 0
    return isMissing ? null : this.weightedShift / this.shiftWeight
  }

  /** Explains why figures that need probabilities are missing. */
  explainMissingProbabilities(): string {
    if (this.pairCount === 0) return 'nothing is paired'
    return `${this.withoutProbabilities} of ${formatCount(this.pairCount, 'pair', 'lacks', 'lack')} probabilities`
  }
}

/** Computes the total variation distance ½ Σ |aₖ − bₖ| over all labels. */
const measureTotalVariation = (a: ComparedAnswer, b: ComparedAnswer): number => {
  const labels = a.labels === b.labels ? a.labels : new Set([...a.labels, ...b.labels])
  let total = 0
  for (const label of labels) total += Math.abs(probabilityIn(a, label) - probabilityIn(b, label))
  return total / 2
}
