import type { HeldAnswer } from './held-run'

/** Counts how often repetitions of a row decide otherwise than its first answer. R24 */
export class Noise {
  private index = -1
  private first: ReadonlyMap<number, HeldAnswer> = new Map()
  private readonly counts = new Map<number, { repeats: number; otherwise: number }>()

  /** Begins a row with its first answers. Its repetitions follow. */
  begin(index: number, answers: ReadonlyMap<number, HeldAnswer>): void {
    this.index = index
    this.first = answers
  }

  /** Adds a repetition. One that does not follow the first answer of its row is ignored. */
  repeat(index: number, answers: ReadonlyMap<number, HeldAnswer>): void {
    if (index !== this.index) return
    for (const [question, { decided }] of answers) {
      const first = this.first.get(question)
      if (first === undefined) continue
      const count = this.counts.get(question) ?? { repeats: 0, otherwise: 0 }
      count.repeats++
      if (decided !== first.decided) count.otherwise++
      this.counts.set(question, count)
    }
  }

  /** The share of a question's repetitions that decided otherwise; null where there are none. */
  of(question: number): number | null {
    const count = this.counts.get(question)
    return count === undefined ? null : count.otherwise / count.repeats
  }
}
