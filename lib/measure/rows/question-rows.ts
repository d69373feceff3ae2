import { maxLabels } from '../../codec/question-limits'
import type { QuestionType } from '../../runs/policy/policy'
import type { Label, RunRecord } from '../../runs/record/decode'
import { decisionByLabel, decisionOf, type KnownAnswer, probabilityOfDecision } from '../decision'
import type { Table } from '../statistics/numbers'
import { unitsOfGroups, unitsOfRows } from '../statistics/units'
import { type ConfidentError, type LabelledRows, undecided } from './labelled-run'

/** The data of a labelled row that figures need, besides its answer. */
export interface LabelledRowPlace {
  /** The line of the label. */
  readonly line: number
  readonly index: number
  /** The label that a person gave when the row was shown a second time. */
  readonly again: Label | undefined
  readonly id: () => string | undefined
  readonly text: () => string | undefined
  readonly stateSha256: () => string | undefined
  readonly images: RunRecord['images']
  /** The position in the run's groups; −1 for none. */
  readonly group: number
  readonly weight: number
}

/** At most this many wrong decisions are listed. */
const maxErrors = 20

/** Collects the labelled answers to one question while a run is read. */
export class QuestionRows {
  /** The column of each label, in the order in which answers list them; of each level, its number. */
  private readonly columns = new Map<string, number>()
  /** The labels that people gave, numbered in the order of appearance, each with the first line that has it. */
  private readonly given = new Map<string, { readonly place: number; readonly line: number }>()
  private readonly truth: number[] = []
  private readonly decided: number[] = []
  private readonly right: number[] = []
  /** The probabilities of each row, by column; columns that came later are missing. A noul has only that of `yes`. */
  private readonly probabilities: ReadonlyArray<number>[] = []
  private readonly scores: number[] = []
  private readonly weights: number[] = []
  private readonly group: number[] = []
  private readonly errors: ConfidentError[] = []
  private readonly again = { n: 0, same: 0 }
  /** True if any answer lists its labels. A person's label that no answer lists is then a fault. */
  private isListed: boolean

  constructor(private readonly type: QuestionType) {
    this.isListed = type === 'noul'
    if (type === 'noul') this.columns.set('no', 0).set('yes', 1)
  }

  /** Notes the labels that an answer lists. Returns the fault of the answer, if any. */
  noteLabels(answer: KnownAnswer): string | undefined {
    if (answer.type !== this.type)
      return `is a ${answer.type} answer, in lines before a ${this.type} answer`
    if (answer.type === 'noul') return isProbability(answer.noul) ? undefined : outside
    if (answer.probabilities.length > 0) this.isListed = true
    for (const [name, p] of answer.probabilities) {
      if (!isProbability(p)) return outside
      const fault = this.columns.has(name) ? undefined : this.addName(name)
      if (fault !== undefined) return fault
    }
    return answer.type === 'choice' && !this.columns.has(answer.choice)
      ? this.addName(answer.choice)
      : undefined
  }

  /** Adds a labelled answer, after `noteLabels` was called for it. Returns the fault of the label, if any. */
  add(answer: KnownAnswer, label: Label, at: LabelledRowPlace): string | undefined {
    const truth = decisionByLabel(this.type, label)
    if (truth === undefined) return `must be ${labelKinds[this.type]}`
    const place = this.placeOfTruth(truth, at.line)
    if (place === undefined) return `is one of more than ${maxLabels} labels`
    const decided = decisionOf(answer)
    this.probabilities.push(this.probabilitiesOf(answer))
    this.truth.push(place)
    this.decided.push(decided === undefined ? undecided : (this.columns.get(decided) as number))
    this.right.push(decided === truth ? 1 : 0)
    if (answer.type === 'score') this.scores.push(answer.score)
    this.weights.push(at.weight)
    this.group.push(at.group)
    if (at.again !== undefined) {
      this.again.n++
      if (at.again === label) this.again.same++
    }
    if (decided !== undefined && decided !== truth) this.keepError(answer, truth, decided, at)
    return undefined
  }

  /** Returns all rows, or the first label that no answer lists and its line. `refusals` counts them by group. */
  finish(
    refusals: ReadonlyMap<number, number>,
  ): LabelledRows | { readonly line: number; readonly cause: string } {
    for (const [name, { line }] of this.given)
      if (!this.columns.has(name)) {
        if (this.isListed) return { line, cause: `"${name}" is ${unlisted[this.type]}` }
        this.addName(name)
      }
    const columnOf = Array.from(this.given.keys(), (name) => this.columns.get(name) as number)
    const isGrouped = this.group.some((group) => group >= 0)
    return {
      type: this.type,
      labels: [...this.columns.keys()],
      truth: this.truth.map((place) => columnOf[place] as number),
      decided: this.decided,
      right: this.right,
      probabilities: this.tableOfAll(),
      scores: this.scores,
      weights: this.weights,
      units: isGrouped ? unitsOfGroups(this.group) : unitsOfRows(this.truth.length),
      group: isGrouped ? this.group : [],
      refused: [...refusals.values()].reduce((all, count) => all + count, 0),
      refusals,
      errors: this.errors,
      again: this.again,
    }
  }

  private probabilitiesOf(answer: KnownAnswer): ReadonlyArray<number> {
    if (answer.type === 'noul') return [answer.noul]
    const row = Array.from(this.columns, () => 0)
    for (const [name, p] of answer.probabilities) row[this.columns.get(name) as number] = p
    return row
  }

  private addName(name: string): string | undefined {
    if (this.type === 'score') {
      if (!/^\d$/.test(name)) return `lists "${name}", which is no level`
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

  private tableOfAll(): Table {
    const columns = this.type === 'noul' ? 1 : this.columns.size
    const values = new Float64Array(this.probabilities.length * columns)
    this.probabilities.forEach((row, place) => {
      for (const [k, p] of row.entries()) values[place * columns + k] = p
    })
    return { values, columns }
  }

  private placeOfTruth(name: string, line: number): number | undefined {
    const known = this.given.get(name)
    if (known !== undefined) return known.place
    const place = this.given.size
    if (place === maxLabels) return undefined
    this.given.set(name, { place, line })
    return place
  }

  private keepError(
    answer: KnownAnswer,
    truth: string,
    decided: string,
    at: LabelledRowPlace,
  ): void {
    const probability = probabilityOfDecision(answer)
    const least = this.errors.at(-1)
    if (probability === undefined) return
    if (this.errors.length === maxErrors && least && least.probability >= probability) return
    const texts = { id: at.id(), stateSha256: at.stateSha256(), text: at.text() }
    const { index, images } = at
    const error = { index, images, truth, decided, probability, ...texts }
    const place = this.errors.findIndex((one) => one.probability < probability)
    this.errors.splice(place === -1 ? this.errors.length : place, 0, error)
    if (this.errors.length > maxErrors) this.errors.pop()
  }
}

const isProbability = (p: number): boolean => p >= 0 && p <= 1

const outside = 'has a probability that is not between 0 and 1'

const labelKinds: Readonly<Record<QuestionType, string>> = {
  noul: 'true or false',
  choice: 'a label',
  score: 'a level from 0 to 9',
}

const unlisted: Readonly<Record<QuestionType, string>> = {
  noul: 'no answer',
  choice: 'a label that no answer lists',
  score: 'a level that no answer lists',
}
