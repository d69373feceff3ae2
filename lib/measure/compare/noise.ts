import type { ComparedAnswer } from './compared-answer'

/**
 * Counts how often a model contradicts itself: the repetitions of a row whose decision differs from that of the first answer to
 * the row.
 */
export class NoiseCounter {
  private rowIndex: number | undefined
  private firstAnswers: ReadonlyArray<ComparedAnswer> = []
  /** The counts by question id. */
  private readonly counts = new Map<string, { repeats: number; differing: number }>()

  /** Starts a row with its first answers. Add its repetitions next. */
  startRow(rowIndex: number, answers: ReadonlyArray<ComparedAnswer>): void {
    this.rowIndex = rowIndex
    this.firstAnswers = answers
  }

  /** Adds a repetition. Ignores repetitions of another row than the last one. */
  addRepeat(rowIndex: number, answers: ReadonlyArray<ComparedAnswer>): void {
    if (rowIndex !== this.rowIndex) return
    for (const { question, decision } of answers) {
      const first = this.firstAnswers.find((answer) => answer.question === question)
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
