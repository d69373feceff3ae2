import * as E from 'fp-ts/Either'
import { maxLabels } from '../../codec/question'
import type { QuestionType } from '../../runs/policy/policy'
import type { Label, RunRecord } from '../../runs/record/decode'
import { describeLabels, type LabelRange } from '../../runs/tables/label-values'
import { suggestQuoted } from '../../text/suggestion'
import { decisionByLabel, decisionOf, type KnownAnswer, probabilityOfDecision } from '../decision'
import { idOf, weightOf } from '../labels/labelled-record'
import {
  findAscendingOrder,
  type Numbers,
  pickNumbers,
  pickTableRows,
  type Table,
} from '../statistics/numbers'
import { createGroupUnits, createRowUnits } from '../statistics/units'
import type { AnswerCounts } from './answer-counts'
import { type ConfidentError, type LabelledRows, undecided } from './labelled-run'

/** Returns the text of a record for the HTML page; `undefined` if the record has none. */
export type ReadText = (record: RunRecord) => string | undefined

/** The details of a labelled row besides its answer and label. */
interface RowDetails {
  readonly record: RunRecord
  readonly labelLine: number
  /** The label that a person gave when the row was shown a second time. */
  readonly repeatLabel: Label | undefined
  /** The index of the row's group; −1 for none. */
  readonly group: number
  /** Called only for the most confident errors. */
  readonly readText: ReadText
}

/** The maximum number of confident errors (wrong decisions with a high probability) that are listed per question. */
const maxListedErrors = 20

const isProbability = (p: number): boolean => p >= 0 && p <= 1

const rangeFault = 'has a probability that is not between 0 and 1'

/** The allowed labels by question type, for messages. A `noul` is a yes/no question. */
const labelKinds: Readonly<Record<QuestionType, string>> = {
  noul: 'true or false',
  choice: 'a label',
  score: 'a level from 0 to 9',
}

/** Descriptions of an unlisted label for messages, by question type. */
const unlistedKinds: Readonly<Record<QuestionType, string>> = {
  noul: 'no answer',
  choice: 'not one of the labels that answers list',
  score: 'not one of the levels that answers list',
}

/** Collects the labelled answers to one question while a run is read. */
export class QuestionRows {
  /** The column of each label in the table of probabilities. The columns of levels are in numerical order. */
  private readonly columns = new Map<string, number>()
  /** The labels that people gave, each with the line on which it appears first. */
  private readonly givenLabels = new Map<
    string,
    { readonly index: number; readonly line: number }
  >()
  /** The label of each row, as its index in `givenLabels`. */
  private readonly truth: number[] = []
  /** The decision of each answer, as its column; `undecided` if the answer makes none. */
  private readonly decisions: number[] = []
  /** 1 for each row whose decision is its label, else 0. */
  private readonly right: number[] = []
  /** The probabilities of each row by column, without the columns that were added later. A yes/no question has only that of `yes`. */
  private readonly probabilities: Array<ReadonlyArray<number>> = []
  private readonly scores: number[] = []
  private readonly weights: number[] = []
  private readonly groupOfRow: number[] = []
  /** The index of each row in the run. */
  private readonly indexes: number[] = []
  private readonly confidentErrors: ConfidentError[] = []
  /** The number of rows that were labelled twice, and of those with the same label both times. */
  private readonly repeats = { rowCount: 0, sameLabelCount: 0 }
  /** `true` if any answer lists its labels. If so, a label that a person gave but no answer lists is a fault. */
  private hasListedLabels: boolean
  /** The number of answers, labelled or not. */
  private answeredCount = 0

  constructor(private readonly type: QuestionType) {
    this.hasListedLabels = type === 'noul'
    if (type === 'noul') this.columns.set('no', 0).set('yes', 1)
  }

  /** Checks an answer, and adds a column for each new label that it lists. Returns the fault of the answer as a text, if any. */
  checkAndAddColumns(answer: KnownAnswer): string | undefined {
    this.answeredCount++
    if (answer.type !== this.type)
      return `is a ${answer.type} answer, but earlier lines have a ${this.type} answer`
    if (answer.type === 'noul') return isProbability(answer.noul) ? undefined : rangeFault
    if (answer.probabilities.length > 0) this.hasListedLabels = true
    for (const [name, p] of answer.probabilities) {
      if (!isProbability(p)) return rangeFault
      const fault = this.columns.has(name) ? undefined : this.addLabelColumn(name)
      if (fault !== undefined) return fault
    }
    return answer.type === 'choice' && !this.columns.has(answer.choice)
      ? this.addLabelColumn(answer.choice)
      : undefined
  }

  /** Adds a labelled answer, for which `checkAndAddColumns` was called before. Returns the fault of the label as a text, if any. */
  add(answer: KnownAnswer, label: Label, row: RowDetails): string | undefined {
    const trueLabel = decisionByLabel(this.type, label)
    if (trueLabel === undefined) return `must be ${labelKinds[this.type]}`
    const labelIndex = this.indexLabel(trueLabel, row.labelLine)
    if (labelIndex === undefined) return `is one of more than ${maxLabels} labels`
    const decidedLabel = decisionOf(answer)
    this.probabilities.push(this.listProbabilities(answer))
    this.truth.push(labelIndex)
    this.decisions.push(
      // `checkAndAddColumns` has added the column.
      decidedLabel === undefined ? undecided : (this.columns.get(decidedLabel) as number),
    )
    this.right.push(decidedLabel === trueLabel ? 1 : 0)
    if (answer.type === 'score') this.scores.push(answer.score)
    this.weights.push(weightOf(row.record))
    this.groupOfRow.push(row.group)
    this.indexes.push(row.record.index)
    if (row.repeatLabel !== undefined) {
      this.repeats.rowCount++
      if (row.repeatLabel === label) this.repeats.sameLabelCount++
    }
    if (decidedLabel !== undefined && decidedLabel !== trueLabel)
      this.addConfidentError(answer, trueLabel, decidedLabel, row)
    return undefined
  }

  /**
   * Returns the rows in the order of their indexes. The lines of a run can be in another order, and figures that are drawn by chance
   * must not depend on it. Fails if answers list their labels, and a person gave a label that none of them lists. `refusalsByGroup` has the
   * number of refusals by group. `runCounts` counts rows of the run.
   */
  finish(
    refusalsByGroup: ReadonlyMap<number, number>,
    runCounts: Pick<AnswerCounts, 'rowCount' | 'failedCount'>,
  ): E.Either<{ readonly line: number; readonly cause: string }, LabelledRows> {
    for (const [name, { line }] of this.givenLabels) {
      if (this.columns.has(name)) continue
      if (this.hasListedLabels) return E.left({ line, cause: this.describeUnlisted(name) })
      this.addLabelColumn(name)
    }
    // All columns are known only now, so the labels of the rows become columns here. The loop above has added those that were missing.
    const columnOfLabel = Array.from(
      this.givenLabels.keys(),
      (name) => this.columns.get(name) as number,
    )
    const order = findAscendingOrder(this.indexes)
    const sort = (numbers: Numbers): Numbers =>
      order === undefined ? numbers : pickNumbers(numbers, order)
    const table = this.createTable()
    const refusalCount = [...refusalsByGroup.values()].reduce((total, count) => total + count, 0)
    const { answeredCount } = this
    const isGrouped = this.groupOfRow.some((group) => group >= 0)
    const groupOfRow = isGrouped ? sort(this.groupOfRow) : []
    return E.right({
      type: this.type,
      labels: [...this.columns.keys()],
      truth: sort(this.truth.map((labelIndex) => columnOfLabel[labelIndex] as number)),
      decisions: sort(this.decisions),
      right: sort(this.right),
      probabilities: order === undefined ? table : pickTableRows(table, order),
      scores: this.scores.length === 0 ? [] : sort(this.scores),
      weights: sort(this.weights),
      units: isGrouped ? createGroupUnits(groupOfRow) : createRowUnits(this.truth.length),
      groupOfRow,
      answerCounts: { ...runCounts, answeredCount, refusedCount: refusalCount },
      refusalCount,
      refusalsByGroup,
      confidentErrors: this.confidentErrors,
      repeats: this.repeats,
    })
  }

  /** Describes a label that a person gave but no answer lists. */
  private describeUnlisted(name: string): string {
    const labels = [...this.columns.keys()]
    const range: LabelRange =
      this.type === 'choice'
        ? { type: 'choice', labels, isComplete: true }
        : { type: 'score', levelCount: labels.length }
    return `"${name}" is ${unlistedKinds[this.type]}, which are ${describeLabels(range)}${suggestQuoted(name, labels)}`
  }

  /** Returns the probabilities of an answer by column; zeros if it has none. */
  private listProbabilities(answer: KnownAnswer): ReadonlyArray<number> {
    if (answer.type === 'noul') return [answer.noul]
    const row = Array.from(this.columns, () => 0)
    for (const [name, p] of answer.probabilities) row[this.columns.get(name) as number] = p
    return row
  }

  /** Adds the column of a label. Returns a fault if the label is not a level, or if there are too many labels. */
  private addLabelColumn(name: string): string | undefined {
    if (this.type === 'score') {
      if (!/^\d$/.test(name)) return `lists "${name}", which is not a level`
      // Adding the lower levels first keeps the columns in numerical order, whatever the order in an answer.
      for (let level = this.columns.size; level <= Number(name); level++)
        this.addColumn(String(level))
      return undefined
    }
    if (this.columns.size === maxLabels) return `lists more than ${maxLabels} labels`
    this.addColumn(name)
    return undefined
  }

  private addColumn(name: string): void {
    this.columns.set(name, this.columns.size)
  }

  private createTable(): Table {
    const columns = this.type === 'noul' ? 1 : this.columns.size
    const values = new Float64Array(this.probabilities.length * columns)
    this.probabilities.forEach((rowProbabilities, row) => {
      for (const [column, p] of rowProbabilities.entries()) values[row * columns + column] = p
    })
    return { values, columns }
  }

  /** Returns the index of a person's label. Adds a new label; `undefined` if there are too many. */
  private indexLabel(name: string, line: number): number | undefined {
    const knownLabel = this.givenLabels.get(name)
    if (knownLabel !== undefined) return knownLabel.index
    const index = this.givenLabels.size
    if (index === maxLabels) return undefined
    this.givenLabels.set(name, { index, line })
    return index
  }

  /** Adds a wrong decision to the list of the most confident ones, if it is one of them. */
  private addConfidentError(
    answer: KnownAnswer,
    trueLabel: string,
    decidedLabel: string,
    row: RowDetails,
  ): void {
    const { confidentErrors: errors } = this
    const probability = probabilityOfDecision(answer)
    if (probability === undefined) return
    // The list is in descending order. Errors of equal probability stay in the order of the rows.
    const firstLowerIndex = errors.findIndex((error) => error.probability < probability)
    const insertIndex = firstLowerIndex === -1 ? errors.length : firstLowerIndex
    if (insertIndex === maxListedErrors) return
    const { record, readText } = row
    errors.splice(insertIndex, 0, {
      index: record.index,
      images: record.images,
      truth: trueLabel,
      decided: decidedLabel,
      probability,
      id: idOf(record),
      stateSha256: record.stateSha256,
      text: readText(record),
    })
    if (errors.length > maxListedErrors) errors.pop()
  }
}
