import * as E from 'fp-ts/Either'
import type { Answer } from '../../codec/answer'
import type { RunRecord } from '../../runs/record/decode'
import { type Answered, isAnswered } from '../../runs/record/outcome'
import { isKnown, type KnownAnswer } from '../decision'
import {
  GroupIndexes,
  isRepetition,
  type LabelledRecord,
  notDrawnByChanceFault,
} from '../labels/labelled-record'
import type { LabelledRows, LabelledRun } from './labelled-run'
import { QuestionRows, type ReadText } from './question-rows'

/**
 * Collects the labelled answers of a run, record by record. To save memory it stores only the texts of the most confident errors: the
 * wrong decisions with the highest probabilities.
 */
export class LabelledRunCollector {
  private readonly rowsByQuestion = new Map<string, QuestionRows>()
  /** The number of refusals by question, and then by the index of the group, which is −1 without a group. */
  private readonly refusalsByQuestion = new Map<string, Map<number, number>>()
  private readonly groups = new GroupIndexes()
  private readonly models = new Set<string>()
  private readonly questionsSha256 = new Set<string>()
  /** The questions that have a label in a row without an answer to them, each with the line number of its first such label. */
  private readonly labelLineOfUnanswered = new Map<string, number>()
  private readonly counts = { rowCount: 0, answeredCount: 0, labelledCount: 0, refusedCount: 0 }

  constructor(private readonly readText: ReadText = () => undefined) {}

  /** Adds a record. Returns its fault as a text, if any. Ignores repetitions of a row. */
  add(labelled: LabelledRecord): string | undefined {
    const { record } = labelled
    const { outcome } = record
    if (isRepetition(record)) return undefined
    this.counts.rowCount++
    if (!isAnswered(outcome)) return undefined
    if (record.p === null) return notDrawnByChanceFault
    this.countAnswered(record, outcome)
    for (const [id, answer] of outcome.answers) {
      const fault = this.addAnswer(id, answer, labelled)
      if (fault !== undefined) return fault
    }
    for (const id of record.labels.keys())
      if (!outcome.answers.has(id) && !this.labelLineOfUnanswered.has(id))
        this.labelLineOfUnanswered.set(id, labelled.labelLine)
    return undefined
  }

  /** Returns the run. Fails with the line of a label whose question no row answers, or which no answer lists. */
  finish(): E.Either<string, LabelledRun> {
    for (const [id, line] of this.labelLineOfUnanswered)
      if (!this.rowsByQuestion.has(id) && !this.refusalsByQuestion.has(id))
        return E.left(`line ${line}: labels.${id}: no answer has this question`)
    const { rowCount, answeredCount } = this.counts
    const runCounts = { rowCount, failedCount: rowCount - answeredCount }
    const questions = new Map<string, LabelledRows>()
    for (const [id, rows] of this.rowsByQuestion) {
      const finished = rows.finish(this.refusalsByQuestion.get(id) ?? new Map(), runCounts)
      if (E.isLeft(finished)) {
        const { line, cause } = finished.left
        return E.left(`line ${line}: labels.${id}: ${cause}`)
      }
      questions.set(id, finished.right)
      // `finish` copies the rows. Deleting the originals keeps only one question in memory twice.
      this.rowsByQuestion.delete(id)
    }
    return E.right({
      ...this.counts,
      questions,
      groups: this.groups.names(),
      models: [...this.models],
      questionsSha256: [...this.questionsSha256],
    })
  }

  private countAnswered(record: RunRecord, { model, answers }: Answered): void {
    this.counts.answeredCount++
    if (record.labels.size > 0) this.counts.labelledCount++
    if ([...answers.values()].some(({ type }) => type === 'refusal')) this.counts.refusedCount++
    this.models.add(model)
    if (record.questionsSha256 !== undefined) this.questionsSha256.add(record.questionsSha256)
  }

  private addAnswer(id: string, answer: Answer, labelled: LabelledRecord): string | undefined {
    const { record } = labelled
    if (isKnown(answer)) return this.addKnownAnswer(id, answer, labelled)
    if (answer.type === 'refusal') this.countRefusal(id, record)
    else if (record.labels.has(id))
      return `labels.${id}: svc cannot measure answers of type "${answer.name}"`
    return undefined
  }

  private countRefusal(id: string, record: RunRecord): void {
    const countByGroup = this.refusalsByQuestion.get(id) ?? new Map<number, number>()
    const group = this.groups.indexOf(record)
    countByGroup.set(group, (countByGroup.get(group) ?? 0) + 1)
    this.refusalsByQuestion.set(id, countByGroup)
  }

  private addKnownAnswer(
    id: string,
    answer: KnownAnswer,
    { record, labelLine, repeatLabels }: LabelledRecord,
  ): string | undefined {
    const rows = this.rowsByQuestion.get(id) ?? new QuestionRows(answer.type)
    this.rowsByQuestion.set(id, rows)
    const fault = rows.checkAndAddColumns(answer)
    if (fault !== undefined) return `answers.${id}: ${fault}`
    const label = record.labels.get(id)
    if (label === undefined) return undefined
    const labelFault = rows.add(answer, label, {
      record,
      labelLine,
      repeatLabel: repeatLabels.get(id),
      group: this.groups.indexOf(record),
      readText: this.readText,
    })
    return labelFault === undefined ? undefined : `labels.${id}: ${labelFault}`
  }
}
