import type { HeldAnswer } from './held-run'

/** Counts how often repetitions of a row decide otherwise than its first answer. R24 */
export class Noise {
  private index = -1
  private first: ReadonlyArray<HeldAnswer> = []
  private readonly counts = new Map<number, { repeats: number; otherwise: number }>()

  /** Begins a row with its first answers. Its repetitions follow. */
  begin(index: number, answers: ReadonlyArray<HeldAnswer>): void {
    this.index = index
    this.first = answers
  }

  /** Adds a repetition. One that does not follow the first answer of its row is ignored. */
  repeat(index: number, answers: ReadonlyArray<HeldAnswer>): void {
    if (index !== this.index) return
    const decisions = new Map(this.first.map(({ shape, decided }) => [shape.question, decided]))
    for (const { shape, decided } of answers) {
      const first = decisions.get(shape.question)
      if (first === undefined) continue
      const count = this.counts.get(shape.question) ?? { repeats: 0, otherwise: 0 }
      count.repeats++
      if (decided !== first) count.otherwise++
      this.counts.set(shape.question, count)
    }
  }

  /** The share of a question's repetitions that decided otherwise; null where there are none. */
  of(question: number): number | null {
    const count = this.counts.get(question)
    return count === undefined ? null : count.otherwise / count.repeats
  }
}
