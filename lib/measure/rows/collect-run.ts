import * as E from 'fp-ts/Either'
import type { Answer } from '../../codec/answer'
import { stringIn } from '../../codec/json/json'
import type { RunRecord } from '../../runs/record/decode'
import { type Answered, isAnswered } from '../../runs/record/outcome'
import { isKnown, type KnownAnswer } from '../decision'
import { type LabelledRecord, notDrawnByChance } from '../labels/labelled-record'
import { groupOf, idOf, NameIndexes } from '../record-names'
import type { LabelledRows, LabelledRun } from './labelled-run'
import { QuestionRows } from './question-rows'

/** Returns the text of a record for the HTML page; `undefined` if the record has none. */
export type ReadText = (record: RunRecord) => string | undefined

/** Collects the labelled answers of a run, record by record. To save memory it stores only the texts of the most confident errors. */
export class LabelledRunCollector {
  private readonly rowsByQuestion = new Map<string, QuestionRows>()
  /** The number of refusals by question, and then by the index of the group; −1 for none. */
  private readonly refusalsByQuestion = new Map<string, Map<number, number>>()
  private readonly groups = new NameIndexes()
  private readonly models = new Set<string>()
  private readonly digests = new Set<string>()
  /** Questions of labels in rows that did not answer them, each with the line number of its first label. */
  private readonly labelLineOfUnanswered = new Map<string, number>()
  private readonly counts = { rowCount: 0, answeredCount: 0, labelledCount: 0, refusedCount: 0 }

  constructor(private readonly readText: ReadText = () => undefined) {}

  /** Adds a record. Returns its fault as a text, if any. Ignores repetitions of a row (`run` above 0). */
  readonly add = (labelled: LabelledRecord): string | undefined => {
    const { record } = labelled
    const { outcome } = record
    if ((record.run ?? 0) > 0) return undefined
    this.counts.rowCount++
    if (!isAnswered(outcome)) return undefined
    if (record.p === null) return notDrawnByChance
    this.countAnswered(record, outcome)
    const groupName = groupOf(record)
    for (const [id, answer] of outcome.answers) {
      const fault = this.addAnswer(id, answer, labelled, groupName)
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
    const finished = new Map<string, LabelledRows>()
    for (const [id, rows] of this.rowsByQuestion) {
      const result = rows.finish(this.refusalsByQuestion.get(id) ?? new Map())
      if ('cause' in result) return E.left(`line ${result.line}: labels.${id}: ${result.cause}`)
      finished.set(id, result)
      // `finish` copies the rows. Deleting the originals keeps only one question in memory twice.
      this.rowsByQuestion.delete(id)
    }
    return E.right({
      ...this.counts,
      questions: finished,
      groups: this.groups.names,
      models: [...this.models],
      questionsSha256: [...this.digests],
    })
  }

  private countAnswered(record: RunRecord, { model, answers }: Answered): void {
    this.counts.answeredCount++
    if (record.labels.size > 0) this.counts.labelledCount++
    if ([...answers.values()].some(({ type }) => type === 'refusal')) this.counts.refusedCount++
    this.models.add(model)
    const digest = stringIn(record.questionsSha256)
    if (digest !== undefined) this.digests.add(digest)
  }

  private addAnswer(
    id: string,
    answer: Answer,
    labelled: LabelledRecord,
    groupName: string | undefined,
  ): string | undefined {
    const label = labelled.record.labels.get(id)
    if (isKnown(answer)) return this.addKnownAnswer(id, answer, labelled, groupName)
    if (answer.type === 'refusal') this.countRefusal(id, this.indexGroup(groupName))
    else if (label !== undefined)
      return `labels.${id}: svc cannot measure answers of type "${answer.name}"`
    return undefined
  }

  /** Returns the index of a group, and adds a new one; −1 for a row without a group. */
  private indexGroup(name: string | undefined): number {
    return name === undefined ? -1 : this.groups.indexOf(name)
  }

  private countRefusal(id: string, groupIndex: number): void {
    const byGroup = this.refusalsByQuestion.get(id) ?? new Map<number, number>()
    byGroup.set(groupIndex, (byGroup.get(groupIndex) ?? 0) + 1)
    this.refusalsByQuestion.set(id, byGroup)
  }

  /** Adds an answer of a type that svc measures, and the row's label of the question if there is one. */
  private addKnownAnswer(
    id: string,
    answer: KnownAnswer,
    { record, labelLine, repeatLabels }: LabelledRecord,
    groupName: string | undefined,
  ): string | undefined {
    const rows = this.rowsByQuestion.get(id) ?? new QuestionRows(answer.type)
    this.rowsByQuestion.set(id, rows)
    const fault = rows.addColumns(answer)
    if (fault !== undefined) return `answers.${id}: ${fault}`
    const label = record.labels.get(id)
    if (label === undefined) return undefined
    const labelFault = rows.add(answer, label, {
      line: labelLine,
      index: record.index,
      repeatLabel: repeatLabels.get(id),
      getId: () => idOf(record),
      getText: () => this.readText(record),
      getStateSha256: () => stringIn(record.stateSha256),
      images: record.images,
      groupIndex: this.indexGroup(groupName),
      weight: 1 / (record.p ?? 1),
    })
    return labelFault === undefined ? undefined : `labels.${id}: ${labelFault}`
  }
}
