import type { Json } from '../../json/json'
import { grouped, type Units } from '../../statistics/bootstrap'
import { cohenKappa, confusion } from '../../statistics/classification'
import { clip, clipped } from '../../statistics/losses'
import { type Numbers, ones } from '../../statistics/numbers'
import type { HeldAnswer } from './held-run'

/** A row whose decision differs between the runs. */
type Flip = {
  readonly index: number
  /** The id as in the record of `a`. */
  readonly id: Json | undefined
  readonly a: string
  readonly b: string
}

/** The most flips that are listed. R24 */
const listed = 100

/** The pairs of answers to one question, as far as the figures need them. */
export class QuestionPairs {
  readonly unpaired = { a: 0, b: 0 }
  readonly flips: Flip[] = []
  paired = 0
  flipped = 0
  fixed = 0
  broken = 0
  labelled = 0
  /** The pairs in which an answer has no probabilities. */
  without = 0
  /** The pairs in which an answer makes no decision, such as a score without probabilities. */
  undecided = 0
  private shift = 0
  /** The decisions of both runs. */
  private readonly a: number[] = []
  private readonly b: number[] = []
  /** The losses of b minus those of a, and the group of each row. */
  private readonly brier: number[] = []
  private readonly log: number[] = []
  private readonly groups: number[] = []

  constructor(readonly type: HeldAnswer['type']) {}

  /**
   * Adds a pair. `truth` is the number of the right label and `group` that of the row's group, each −1 where there
   * is none.
   */
  add(
    a: HeldAnswer,
    b: HeldAnswer,
    {
      truth,
      group,
      flip,
    }: { readonly truth: number; readonly group: number; readonly flip: () => Flip },
  ): void {
    this.paired++
    if (a.decided < 0 || b.decided < 0) this.undecided++
    else this.decide(a.decided, b.decided, flip)
    const complete = a.probabilities.size > 0 && b.probabilities.size > 0
    if (complete) this.shift += totalVariation(a.probabilities, b.probabilities)
    else this.without++
    if (truth < 0) return
    this.labelled++
    if (a.decided >= 0 && b.decided >= 0) {
      if (a.decided !== truth && b.decided === truth) this.fixed++
      if (a.decided === truth && b.decided !== truth) this.broken++
    }
    if (!complete) return
    this.brier.push(this.brierLoss(b.probabilities, truth) - this.brierLoss(a.probabilities, truth))
    this.log.push(this.logLoss(b.probabilities, truth) - this.logLoss(a.probabilities, truth))
    this.groups.push(group)
  }

  agreement(): number | null {
    const decided = this.paired - this.undecided
    return decided === 0 ? null : 1 - this.flipped / decided
  }

  kappa(labels: number): number | null {
    return cohenKappa(confusion(this.a, this.b, labels, ones(this.a.length)))
  }

  /** The mean total variation distance of the probabilities; null where some are missing. */
  meanShift(): number | null {
    return this.paired === 0 || this.without > 0 ? null : this.shift / this.paired
  }

  /** The losses of b minus those of a for each row, and the units that the bootstrap draws. */
  differences(): { readonly brier: Numbers; readonly log: Numbers; readonly units: Units } {
    return { brier: this.brier, log: this.log, units: grouped(this.groups) }
  }

  private decide(a: number, b: number, flip: () => Flip): void {
    this.a.push(a)
    this.b.push(b)
    if (a === b) return
    this.flipped++
    if (this.flips.length < listed) this.flips.push(flip())
  }

  /**
   * The Brier loss, summed over all labels. For a noul question it is one of the two equal terms only, as R18
   * defines it.
   */
  private brierLoss(probabilities: ReadonlyMap<number, number>, truth: number): number {
    const right = probabilities.get(truth) ?? 0
    if (this.type === 'noul') return (1 - right) ** 2
    let squares = 0
    for (const p of probabilities.values()) squares += p * p
    return squares - right * right + (1 - right) ** 2
  }

  private logLoss(probabilities: ReadonlyMap<number, number>, truth: number): number {
    const right = probabilities.get(truth) ?? 0
    return -Math.log(this.type === 'noul' ? clipped(right) : Math.max(right, clip))
  }
}

/** ½ Σ |aₖ − bₖ| over all labels. */
const totalVariation = (a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): number => {
  let total = 0
  for (const [label, p] of a) total += Math.abs(p - (b.get(label) ?? 0))
  for (const [label, p] of b) if (!a.has(label)) total += p
  return total / 2
}
