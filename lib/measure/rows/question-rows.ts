import { maxLabels } from '../../codec/question-limits'
import type { QuestionType } from '../../runs/policy/policy'
import type { Label, RunRecord } from '../../runs/record/decode'
import { decisionByLabel, decisionOf, type KnownAnswer, probabilityOfDecision } from '../decision'
import type { Table } from '../statistics/numbers'
import { createGroupUnits, createRowUnits } from '../statistics/units'
import { type ConfidentError, type LabelledRows, undecided } from './labelled-run'

/** The data of a labelled row besides its answer. Functions are called only for confident errors. */
export interface LabelledRowSource {
  /** The line number of the label. */
  readonly line: number
  readonly index: number
  /** The label that a person gave when the row was shown a second time. */
  readonly again: Label | undefined
  readonly id: () => string | undefined
  readonly text: () => string | undefined
  readonly stateSha256: () => string | undefined
  readonly images: RunRecord['images']
  /** The index in the run's groups; −1 for none. */
  readonly group: number
  readonly weight: number
}

/** The maximum number of wrong decisions that are listed. */
const maxErrors = 20

/** Collects the labelled answers to one question while a run is read. */
export class QuestionRows {
  /** The column of each label in the table of probabilities, in the order in which answers list them. A level's column is its number. */
  private readonly columns = new Map<string, number>()
  /** The labels that people gave, numbered in the order of appearance, each with the line on which it appears first. */
  private readonly labels = new Map<string, { readonly place: number; readonly line: number }>()
  private readonly truth: number[] = []
  private readonly decided: number[] = []
  private readonly right: number[] = []
  /** The probabilities of each row by column. Columns that were added later are missing. A noul has only that of `yes`. */
  private readonly probabilities: ReadonlyArray<number>[] = []
  private readonly scores: number[] = []
  private readonly weights: number[] = []
  private readonly group: number[] = []
  private readonly errors: ConfidentError[] = []
  private readonly again = { n: 0, same: 0 }
  /** `true` if any answer lists its labels. A person's label that no answer lists is then a fault. */
  private isListed: boolean

  constructor(private readonly type: QuestionType) {
    this.isListed = type === 'noul'
    if (type === 'noul') this.columns.set('no', 0).set('yes', 1)
  }

  /** Adds a column for each new label that an answer lists. Returns the fault of the answer as a text, if any. */
  addColumns(answer: KnownAnswer): string | undefined {
    if (answer.type !== this.type)
      return `is a ${answer.type} answer, in lines before a ${this.type} answer`
    if (answer.type === 'noul') return isProbability(answer.noul) ? undefined : outOfRange
    if (answer.probabilities.length > 0) this.isListed = true
    for (const [name, p] of answer.probabilities) {
      if (!isProbability(p)) return outOfRange
      const fault = this.columns.has(name) ? undefined : this.addLabelColumn(name)
      if (fault !== undefined) return fault
    }
    return answer.type === 'choice' && !this.columns.has(answer.choice)
      ? this.addLabelColumn(answer.choice)
      : undefined
  }

  /** Adds a labelled answer, whose columns must exist. Returns the fault of the label as a text, if any. */
  add(answer: KnownAnswer, label: Label, row: LabelledRowSource): string | undefined {
    const truth = decisionByLabel(this.type, label)
    if (truth === undefined) return `must be ${labelKinds[this.type]}`
    const place = this.numberLabel(truth, row.line)
    if (place === undefined) return `is one of more than ${maxLabels} labels`
    const decided = decisionOf(answer)
    this.probabilities.push(this.listProbabilities(answer))
    this.truth.push(place)
    this.decided.push(decided === undefined ? undecided : (this.columns.get(decided) as number))
    this.right.push(decided === truth ? 1 : 0)
    if (answer.type === 'score') this.scores.push(answer.score)
    this.weights.push(row.weight)
    this.group.push(row.group)
    if (row.again !== undefined) {
      this.again.n++
      if (row.again === label) this.again.same++
    }
    if (decided !== undefined && decided !== truth) this.addError(answer, truth, decided, row)
    return undefined
  }

  /** Returns the rows, or the fault of the first label that no answer lists. `refusals` are the numbers of refusals by group. */
  finish(
    refusals: ReadonlyMap<number, number>,
  ): LabelledRows | { readonly line: number; readonly cause: string } {
    for (const [name, { line }] of this.labels)
      if (!this.columns.has(name)) {
        if (this.isListed) return { line, cause: `"${name}" is ${unlistedKinds[this.type]}` }
        this.addLabelColumn(name)
      }
    const columnOf = Array.from(this.labels.keys(), (name) => this.columns.get(name) as number)
    const isGrouped = this.group.some((group) => group >= 0)
    return {
      type: this.type,
      labels: [...this.columns.keys()],
      truth: this.truth.map((place) => columnOf[place] as number),
      decided: this.decided,
      right: this.right,
      probabilities: this.createTable(),
      scores: this.scores,
      weights: this.weights,
      units: isGrouped ? createGroupUnits(this.group) : createRowUnits(this.truth.length),
      group: isGrouped ? this.group : [],
      refused: [...refusals.values()].reduce((all, count) => all + count, 0),
      refusals,
      errors: this.errors,
      again: this.again,
    }
  }

  private listProbabilities(answer: KnownAnswer): ReadonlyArray<number> {
    if (answer.type === 'noul') return [answer.noul]
    const row = Array.from(this.columns, () => 0)
    for (const [name, p] of answer.probabilities) row[this.columns.get(name) as number] = p
    return row
  }

  private addLabelColumn(name: string): string | undefined {
    if (this.type === 'score') {
      if (!/^\d$/.test(name)) return `lists "${name}", which is not a level`
      // Levels are in numerical order, even if an answer lists them in another one.
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
    this.probabilities.forEach((row, place) => {
      for (const [k, p] of row.entries()) values[place * columns + k] = p
    })
    return { values, columns }
  }

  private numberLabel(name: string, line: number): number | undefined {
    const known = this.labels.get(name)
    if (known !== undefined) return known.place
    const place = this.labels.size
    if (place === maxLabels) return undefined
    this.labels.set(name, { place, line })
    return place
  }

  private addError(
    answer: KnownAnswer,
    truth: string,
    decided: string,
    row: LabelledRowSource,
  ): void {
    const probability = probabilityOfDecision(answer)
    const least = this.errors.at(-1)
    if (probability === undefined) return
    if (this.errors.length === maxErrors && least && least.probability >= probability) return
    const texts = { id: row.id(), stateSha256: row.stateSha256(), text: row.text() }
    const { index, images } = row
    const newError = { index, images, truth, decided, probability, ...texts }
    const place = this.errors.findIndex((error) => error.probability < probability)
    this.errors.splice(place === -1 ? this.errors.length : place, 0, newError)
    if (this.errors.length > maxErrors) this.errors.pop()
  }
}

const isProbability = (p: number): boolean => p >= 0 && p <= 1

const outOfRange = 'has a probability that is not between 0 and 1'

const labelKinds: Readonly<Record<QuestionType, string>> = {
  noul: 'true or false',
  choice: 'a label',
  score: 'a level from 0 to 9',
}

const unlistedKinds: Readonly<Record<QuestionType, string>> = {
  noul: 'no answer',
  choice: 'a label that no answer lists',
  score: 'a level that no answer lists',
}
