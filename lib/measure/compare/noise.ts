import type { ComparedAnswer } from './compared-answer'

/** Counts the repetitions whose decision differs from that of the first answer to the row. */
export class NoiseCounter {
  private index = -1
  private first: ReadonlyArray<ComparedAnswer> = []
  private readonly counts = new Map<string, { repeats: number; differing: number }>()

  /** Starts a row with its first answers. Add its repetitions next. */
  begin(index: number, answers: ReadonlyArray<ComparedAnswer>): void {
    this.index = index
    this.first = answers
  }

  /** Adds a repetition. Ignores repetitions of another row than the last one. */
  addRepeat(index: number, answers: ReadonlyArray<ComparedAnswer>): void {
    if (index !== this.index) return
    for (const { question, decision } of answers) {
      const first = this.first.find((answer) => answer.question === question)
      if (first === undefined) continue
      const count = this.counts.get(question) ?? { repeats: 0, differing: 0 }
      count.repeats++
      if (decision !== first.decision) count.differing++
      this.counts.set(question, count)
    }
  }

  /** Returns the share of a question's repetitions with another decision; null without repetitions. */
  shareOf(question: string): number | null {
    const count = this.counts.get(question)
    return count === undefined ? null : count.differing / count.repeats
  }
}
