import type { JsonValue } from '../../codec/json/json'
import { clipProbability, minProbability } from '../../runs/policy/calibration-map'
import { cohenKappa } from '../statistics/classification'
import { effectiveSize, type Numbers } from '../statistics/numbers'
import { type Units, unitsOfGroups, unitsOfRows } from '../statistics/units'
import type { HeldAnswer, HeldType } from './held-run'

/** A row whose decision differs between the runs. */
type Flip = {
  readonly index: number
  /** The id as in the record of `a`. */
  readonly id: JsonValue | undefined
  readonly a: string
  readonly b: string
}

/** The data of a pair besides its answers. */
interface Place {
  /** The number of the row's group; −1 if it has none. */
  readonly group: number
  readonly weight: number
  readonly flip: () => Flip
}

/** At most this many flips are listed. */
const maxListed = 100

/** The pairs of answers to one question, as far as the figures need them. */
export class QuestionPairs {
  /** The type of the answers; `undefined` if all are refusals. */
  type: HeldType | undefined
  readonly unpaired = { a: 0, b: 0 }
  readonly flips: Flip[] = []
  paired = 0
  flipped = 0
  fixed = 0
  broken = 0
  labelled = 0
  /** The pairs in which an answer that is no refusal has no probabilities. */
  without = 0
  /** The pairs in which an answer makes no decision, such as a score without probabilities. */
  undecided = 0
  private decidedWeight = 0
  private alikeWeight = 0
  private shift = 0
  private shiftWeight = 0
  /** The weight of the pairs by both decisions, `a · 1024 + b`. */
  private readonly decisions = new Map<number, number>()
  /** The losses of b minus those of a, and group and weight of each row. */
  private readonly first: number[] = []
  private readonly log: number[] = []
  private readonly groups: number[] = []
  private readonly weights: number[] = []
  private levels = 2

  /** `names` has the question's labels. */
  constructor(private readonly names: ReadonlyArray<string>) {}

  /** Adds a pair. The right label is that of `a`. */
  add(a: HeldAnswer, b: HeldAnswer, place: Place): void {
    this.paired++
    if (a.decided < 0 || b.decided < 0) this.undecided++
    else this.addDecisions(a.decided, b.decided, place)
    // A refusal is a decision, but it has no probabilities that could have moved.
    const isRefused = a.shape.type === 'refusal' || b.shape.type === 'refusal'
    const isComplete = a.probabilities.length > 0 && b.probabilities.length > 0
    if (isComplete) {
      this.shift += place.weight * totalVariation(a, b)
      this.shiftWeight += place.weight
    } else if (!isRefused) this.without++
    if (a.truth < 0) return
    this.countRight(a, b)
    if (!isComplete) return
    this.first.push(this.firstLoss(b, a.truth) - this.firstLoss(a, a.truth))
    this.log.push(this.logLoss(b, a.truth) - this.logLoss(a, a.truth))
    this.groups.push(place.group)
    this.weights.push(place.weight)
  }

  private countRight(a: HeldAnswer, b: HeldAnswer): void {
    this.labelled++
    if (a.decided < 0 || b.decided < 0) return
    const [aIsRight, bIsRight] = [a.decided === a.truth, b.decided === a.truth]
    if (!aIsRight && bIsRight) this.fixed++
    if (aIsRight && !bIsRight) this.broken++
  }

  /** Returns the share of pairs with the same decision; null if no pair has a decision. */
  agreement(): number | null {
    return this.decidedWeight === 0 ? null : this.alikeWeight / this.decidedWeight
  }

  kappa(): number | null {
    const labels = [...new Set([...this.decisions.keys()].flatMap((at) => [at >> 10, at & 1023]))]
    const values = new Float64Array(labels.length ** 2)
    for (const [at, weight] of this.decisions)
      values[labels.indexOf(at >> 10) * labels.length + labels.indexOf(at & 1023)] = weight
    return cohenKappa({ values, columns: labels.length })
  }

  /** The mean total variation distance of the probabilities; null if some are missing. */
  meanShift(): number | null {
    return this.shiftWeight === 0 || this.without > 0 ? null : this.shift / this.shiftWeight
  }

  /**
   * Returns the reason why the pairs are not independent draws, which McNemar's test needs; `undefined` if they are.
   */
  get dependence(): string | undefined {
    if (this.isGrouped()) return 'rows in groups are no independent draws'
    const { weights } = this
    const isWeighted = Math.abs(effectiveSize(weights) - weights.length) > 1e-9 * weights.length
    return isWeighted ? 'rows with weights are no independent draws' : undefined
  }

  private isGrouped(): boolean {
    return this.groups.some((group) => group >= 0)
  }

  /**
   * The losses of b minus those of a for each labelled row: `first` is the Brier loss, for a score the ranked
   * probability score.
   */
  differences(): {
    readonly first: Numbers
    readonly log: Numbers
    readonly weights: Numbers
    readonly units: Units
  } {
    const scale = this.type === 'score' ? this.levels - 1 : 1
    return {
      first: this.first.map((loss) => loss / scale),
      log: this.log,
      weights: this.weights,
      units: this.isGrouped() ? unitsOfGroups(this.groups) : unitsOfRows(this.first.length),
    }
  }

  private addDecisions(a: number, b: number, { weight, flip }: Place): void {
    const at = (a << 10) | b
    this.decisions.set(at, (this.decisions.get(at) ?? 0) + weight)
    this.decidedWeight += weight
    if (a === b) {
      this.alikeWeight += weight
      return
    }
    this.flipped++
    if (this.flips.length < maxListed) this.flips.push(flip())
  }

  /**
   * Computes the main loss of a type: for a noul the Brier loss of a yes, for a choice the one summed over all
   * labels, for a score the ranked probability score times the number of levels less one.
   */
  private firstLoss({ shape, probabilities }: HeldAnswer, truth: number): number {
    if (this.type === 'score') return this.rankedScore(shape.labels, probabilities, truth)
    const right = probabilities[shape.labels.indexOf(truth)] ?? 0
    if (this.type === 'noul') return (1 - right) ** 2
    let squares = 0
    for (const p of probabilities) squares += p * p
    return squares - right * right + (1 - right) ** 2
  }

  private rankedScore(
    labels: ReadonlyArray<number>,
    probabilities: ReadonlyArray<number>,
    truth: number,
  ): number {
    const byLevel: number[] = []
    labels.forEach((label, k) => {
      byLevel[Number(this.names[label])] = probabilities[k] as number
    })
    const right = Number(this.names[truth])
    const levels = Math.max(byLevel.length, right + 1)
    this.levels = Math.max(this.levels, levels)
    let cumulative = 0
    let score = 0
    for (let level = 0; level < levels - 1; level++) {
      cumulative += byLevel[level] ?? 0
      score += (cumulative - (level >= right ? 1 : 0)) ** 2
    }
    return score
  }

  private logLoss({ shape, probabilities }: HeldAnswer, truth: number): number {
    const right = probabilities[shape.labels.indexOf(truth)] ?? 0
    return -Math.log(
      this.type === 'noul' ? clipProbability(right) : Math.max(right, minProbability),
    )
  }
}

/** ½ Σ |aₖ − bₖ| over all labels. */
const totalVariation = (a: HeldAnswer, b: HeldAnswer): number => {
  let total = 0
  if (a.shape === b.shape)
    a.probabilities.forEach((p, k) => {
      total += Math.abs(p - (b.probabilities[k] as number))
    })
  else {
    const inB = new Map(b.shape.labels.map((label, k) => [label, b.probabilities[k] as number]))
    a.shape.labels.forEach((label, k) => {
      total += Math.abs((a.probabilities[k] as number) - (inB.get(label) ?? 0))
      inB.delete(label)
    })
    for (const p of inB.values()) total += p
  }
  return total / 2
}
