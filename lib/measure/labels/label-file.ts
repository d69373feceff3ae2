import * as E from 'fp-ts/Either'
import type { Answer } from '../../codec/answer'
import { type JsonValue, memberIn, stringIn } from '../../codec/json/json'
import { type Failure, usage } from '../../failure/failure'
import type { Label, RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { labelSuffix } from '../../runs/tables/guards'
import { type LabelRange, readLabel } from '../../runs/tables/label-values'
import type { Runtime } from '../../runtime/runtime'
import { isKnown, type KnownAnswer } from '../decision'
import type { LabelFlags } from './label-flags'
import {
  type LabelCellsByQuestion,
  type LabelFileRow,
  type ParsedLabelFile,
  readLabelTable,
} from './label-table'
import {
  idOf,
  isRepetition,
  type LabelledRecord,
  noLabels,
  withRecordLabels,
} from './labelled-record'

/**
 * Reads the file of `--labels`; `undefined` without that flag. Fails if the file cannot be read or is invalid, if the reading is
 * interrupted, or if another flag needs `--labels`.
 */
export const readLabelFile = async (
  runtime: Pick<Runtime, 'stdin' | 'stderr' | 'files' | 'signal'>,
  flags: LabelFlags,
): Promise<E.Either<Failure, LabelFile | undefined>> => {
  if (flags.labels !== undefined) {
    const table = await readLabelTable(runtime, flags.labels, flags)
    return E.isLeft(table) ? table : E.right(new LabelFile(table.right))
  }
  if (flags.label.length > 0) return E.left(usage('--label needs --labels'))
  return flags['id-field'] === undefined
    ? E.right(undefined)
    : E.left(usage('--id-field needs --labels'))
}

/** Joins a label file to the records of a run: by `index`, or by id if the file has no `index`. */
export class LabelFile {
  /** The name of the file in messages. */
  readonly name: string
  /** The index of the record to which each row was joined. */
  private readonly joinedIndexes = new Map<LabelFileRow, number>()
  private readonly answeredQuestions = new Set<string>()

  constructor(private readonly table: ParsedLabelFile) {
    this.name = table.name
  }

  /** Returns a record with its labels from the file. Repetitions get none. Fails with a fault of the file as a text. */
  label(record: RunRecord): E.Either<string, LabelledRecord> {
    const { outcome } = record
    const isFirstOfRow = !isRepetition(record)
    const row = isFirstOfRow ? this.findRow(record) : undefined
    if (row !== undefined) {
      const fault = this.checkJoin(row, record)
      if (fault !== undefined) return E.left(fault)
      this.joinedIndexes.set(row, record.index)
    }
    if (isFirstOfRow && isAnswered(outcome))
      for (const id of outcome.answers.keys()) this.answeredQuestions.add(id)
    if (row !== undefined && isAnswered(outcome))
      return this.labelAnswers(record, outcome.answers, row)
    // If the file has a column `p`, a record without labels from the file counts as not drawn.
    const p = this.table.samplingProbabilities === 'missing' ? record.p : undefined
    return E.right({ ...withRecordLabels({ ...record, labels: noLabels, p }), runP: record.p })
  }

  /**
   * Call this after the last record. Returns a fault as a text if the run lacks a row of the file, if it does not answer a question of
   * `--label`, or if it answers none of the questions that the file has columns for.
   */
  finish(): string | undefined {
    const unusedRow = [...this.table.rowByKey.values()].find((row) => !this.joinedIndexes.has(row))
    return unusedRow === undefined
      ? this.explainUnknownQuestions()
      : `line ${unusedRow.line}: the run has no row of ${unusedRow.keyText}`
  }

  private findRow(record: RunRecord): LabelFileRow | undefined {
    const key = this.table.isKeyedByIndex ? String(record.index) : idOf(record)
    return key === undefined ? undefined : this.table.rowByKey.get(key)
  }

  /**
   * Explains why a row does not fit a record; `undefined` if it fits. A key must name a single row of the run. The column `id` of
   * the file is checked only if the run has ids, since it may be a field of the input.
   */
  private checkJoin(row: LabelFileRow, record: RunRecord): string | undefined {
    const { line, keyText } = row
    const joinedIndex = this.joinedIndexes.get(row)
    if (joinedIndex !== undefined) {
      // A file that is keyed by index needs no advice to add a column of indexes.
      const hint = this.table.isKeyedByIndex
        ? ''
        : '; add a column "index" that says which one you mean'
      return `line ${line}: the run has several rows of ${keyText} (index ${joinedIndex} and ${record.index})${hint}`
    }
    const id = idOf(record)
    if (!this.table.isKeyedByIndex || row.id === '' || id === undefined || row.id === id)
      return undefined
    return `line ${line}: the row of ${keyText} has the id ${JSON.stringify(id)} in the run, not ${JSON.stringify(row.id)}; delete the column "id" if only its spelling changed`
  }

  /** Adds the labels of a row to an answered record. Fails with a fault of the labels as a text. */
  private labelAnswers(
    record: RunRecord,
    answers: ReadonlyMap<string, Answer>,
    row: LabelFileRow,
  ): E.Either<string, LabelledRecord> {
    const labels = readRowLabels(row.labels, row.line, answers, record.document)
    if (E.isLeft(labels)) return labels
    const repeatLabels = readRowLabels(row.repeatLabels, row.line, answers, record.document)
    if (E.isLeft(repeatLabels)) return repeatLabels
    return E.right({
      record: { ...record, labels: labels.right, p: this.samplingProbabilityOf(row, record) },
      runP: record.p,
      labelLine: row.line,
      repeatLabels: repeatLabels.right,
    })
  }

  /** Returns the sampling probability of a row: that of the file, if it has such a column. Null if the rows were not drawn at random. */
  private samplingProbabilityOf(row: LabelFileRow, record: RunRecord): RunRecord['p'] {
    switch (this.table.samplingProbabilities) {
      case 'missing':
        return record.p
      case 'empty':
        return null
      case 'given':
        return row.samplingProbability
    }
  }

  /**
   * Explains that labels are for questions that the run does not answer: any question of `--label`, or all columns of labels.
   * `undefined` otherwise.
   */
  private explainUnknownQuestions(): string | undefined {
    const { fields, rowByKey } = this.table
    // Without --label, the columns of the first row stand for those of all.
    const [firstRow] = rowByKey.values()
    const questions = [...(fields?.keys() ?? firstRow?.labels.keys() ?? [])]
    const unknown = questions.filter((question) => !this.answeredQuestions.has(question))
    if (fields !== undefined && unknown.length > 0)
      return `the run has no answers to "${unknown[0]}"`
    return firstRow === undefined || unknown.length < questions.length
      ? undefined
      : `it has no field "<question>${labelSuffix}" for a question that was answered; use --label if the field has another name`
  }
}

/**
 * Reads the labels of a row by question. `document` is the record with the answers. Ignores labels of refusals and of answers of unknown
 * type. Fails with a fault as a text if a label does not fit its question.
 */
const readRowLabels = (
  cells: LabelCellsByQuestion,
  line: number,
  answers: ReadonlyMap<string, Answer>,
  document: JsonValue,
): E.Either<string, ReadonlyMap<string, Label>> => {
  const labels = new Map<string, Label>()
  for (const [questionId, { field, value }] of cells) {
    const answer = answers.get(questionId)
    if (answer === undefined || !isKnown(answer)) continue
    const legend = memberIn(memberIn(memberIn(document, 'answers'), questionId), 'legend')
    const label = readLabel(value, { field, questionId, range: answerRangeOf(answer, legend) })
    if (E.isLeft(label)) return E.left(`line ${line}: ${label.left}`)
    if (label.right !== undefined) labels.set(questionId, label.right)
  }
  return E.right(labels)
}

/** A score has up to ten levels. */
const maxLevels = 10

/** Lists the texts of the levels in a legend. A level without one gets an empty text, which no label has. */
const listLevelNames = (legend: JsonValue | undefined): ReadonlyArray<string> =>
  Array.from({ length: maxLevels }, (_, level) => stringIn(memberIn(legend, String(level))) ?? '')

/** Returns what a question takes as a label, as far as one of its answers says. Other answers may list more labels. */
const answerRangeOf = (answer: KnownAnswer, legend: JsonValue | undefined): LabelRange => {
  switch (answer.type) {
    case 'noul':
      return { type: 'noul' }
    case 'choice':
      return {
        type: 'choice',
        labels: answer.probabilities.map(([label]) => label),
        isComplete: false,
      }
    case 'score':
      return {
        type: 'score',
        levelCount: answer.probabilities.length || maxLevels,
        levelNames: listLevelNames(legend),
      }
  }
}
