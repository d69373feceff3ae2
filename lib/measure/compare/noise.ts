import type { HeldAnswer } from './held-run'

/** How often repeats of a row decide otherwise than its first answer. R24 */
export class Noise {
  private index = -1
  private first: ReadonlyMap<number, HeldAnswer> = new Map()
  private readonly counts = new Map<number, { repeats: number; otherwise: number }>()

  /** Takes note of a row's first answers; its repeats follow. */
  begin(index: number, answers: ReadonlyMap<number, HeldAnswer>): void {
    this.index = index
    this.first = answers
  }

  /** Takes a repeat; one whose first answer is not before it tells nothing. */
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

  /** The share of a question's repeats; null without any. */
  of(question: number): number | null {
    const count = this.counts.get(question)
    return count === undefined ? null : count.otherwise / count.repeats
  }
}
