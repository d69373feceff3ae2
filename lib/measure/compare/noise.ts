import type { RunRecord } from '../../runs/record/decode'
import { isRepetition } from '../labels/labelled-record'
import type { ComparedAnswer } from './compared-answer'

/**
 * Counts how often a model contradicts itself: the repetitions of a row whose decision differs from that of the first answer to
 * the row.
 */
export class NoiseCounter {
  private rowIndex: number | undefined
  private firstAnswers: ReadonlyArray<ComparedAnswer> = []
  private readonly counts = new Map<string, { repetitions: number; differing: number }>()

  /** Adds the answers of a record. Ignores repetitions that do not follow the first record of their row. */
  add(record: RunRecord, answers: ReadonlyArray<ComparedAnswer>): void {
    if (!isRepetition(record)) {
      this.rowIndex = record.index
      this.firstAnswers = answers
      return
    }
    if (record.index !== this.rowIndex) return
    for (const { question, decision } of answers) {
      const first = this.firstAnswers.find((answer) => answer.question === question)
      if (first === undefined) continue
      const count = this.counts.get(question) ?? { repetitions: 0, differing: 0 }
      count.repetitions++
      if (decision !== first.decision) count.differing++
      this.counts.set(question, count)
    }
  }

  /** Returns the share of a question's repetitions with another decision; null without repetitions. */
  shareOf(question: string): number | null {
    const count = this.counts.get(question)
    return count === undefined ? null : count.differing / count.repetitions
  }
}
