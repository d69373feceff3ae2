import { mostLabels } from '../codec/question-limits'
import type { QuestionType } from '../policy/policy'
import type { Label } from '../run/decode'
import { grouped } from '../statistics/bootstrap'
import type { Table } from '../statistics/numbers'
import {
  decisionByLabel,
  decisionOf,
  distributionOf,
  type KnownAnswer,
  probabilityOfDecision,
} from './decision'
import type { ConfidentError, LabelledRows } from './labelled'

/** What the figures need of a labelled row besides its answer. */
export interface Place {
  readonly line: number
  readonly index: number
  readonly id: () => string | undefined
  /** The position in the run's groups; −1 for none. */
  readonly group: number
  readonly weight: number
}

/** The most wrong decisions that are listed. R20 */
const mostErrors = 20

/** Collects the labelled answers to one question while a run is read. */
export class QuestionRows {
  /** The column of each label, in the order in which answers list them; of each level, its number. */
  private readonly columns = new Map<string, number>()
  /** The labels that people gave, numbered in the order of appearance, each with the first line that has it. */
  private readonly given = new Map<string, { readonly place: number; readonly line: number }>()
  private readonly truth: number[] = []
  private readonly decided: number[] = []
  /** The probabilities of all rows by column. Columns that were added after a row are missing in it. */
  private readonly probabilities: number[] = []
  /** Where the probabilities of each row begin. */
  private readonly starts: number[] = []
  private readonly scores: number[] = []
  private readonly weights: number[] = []
  private readonly group: number[] = []
  private readonly errors: ConfidentError[] = []
  /** Whether any answer lists its labels. If so, a person's label that no answer lists is a fault. */
  private listed: boolean

  constructor(private readonly type: QuestionType) {
    this.listed = type === 'noul'
    if (type === 'noul') for (const name of ['no', 'yes']) this.addColumn(name)
  }

  /** Adds the labels that an answer lists. Returns what is wrong with the answer, if anything. */
  list(answer: KnownAnswer): string | undefined {
    if (answer.type !== this.type)
      return `is a ${answer.type} answer, in lines before a ${this.type} answer`
    if (answer.type === 'noul') return isProbability(answer.noul) ? undefined : outside
    if (answer.probabilities.length > 0) this.listed = true
    for (const [name, p] of answer.probabilities) {
      if (!isProbability(p)) return outside
      const fault = this.columns.has(name) ? undefined : this.addName(name)
      if (fault !== undefined) return fault
    }
    return answer.type === 'choice' && !this.columns.has(answer.choice)
      ? this.addName(answer.choice)
      : undefined
  }

  /**
   * Adds a labelled answer, after `list` was called for it. Returns what is wrong with the label, if anything.
   */
  add(answer: KnownAnswer, label: Label, at: Place): string | undefined {
    const truth = decisionByLabel(this.type, label)
    if (truth === undefined) return `must be ${labelKinds[this.type]}`
    const decided = decisionOf(answer)
    this.truth.push(this.placeOfTruth(truth, at.line))
    this.decided.push(decided === undefined ? Number.NaN : (this.columns.get(decided) as number))
    this.scores.push(answer.type === 'score' ? answer.score : Number.NaN)
    this.weights.push(at.weight)
    this.group.push(at.group)
    const start = this.probabilities.length
    this.starts.push(start)
    for (let column = 0; column < this.columns.size; column++) this.probabilities.push(0)
    for (const [name, p] of distributionOf(answer))
      this.probabilities[start + (this.columns.get(name) as number)] = p
    if (decided !== undefined && decided !== truth) this.keepError(answer, truth, decided, at)
    return undefined
  }

  /** Returns all rows, or the first label that no answer lists and its line. */
  finish(): LabelledRows | { readonly line: number; readonly cause: string } {
    for (const [name, { line }] of this.given)
      if (!this.columns.has(name)) {
        if (this.listed) return { line, cause: `"${name}" is ${unlisted[this.type]}` }
        this.addName(name)
      }
    const names = [...this.given.keys()]
    const columnOf = names.map((name) => this.columns.get(name) as number)
    return {
      type: this.type,
      labels: [...this.columns.keys()],
      truth: Float64Array.from(this.truth, (place) => columnOf[place] as number),
      decided: Float64Array.from(this.decided),
      probabilities: this.table(),
      scores: Float64Array.from(this.scores),
      weights: Float64Array.from(this.weights),
      units: grouped(this.group),
      group: this.group,
      errors: this.errors,
    }
  }

  private addName(name: string): string | undefined {
    if (this.type === 'score') {
      if (!/^\d$/.test(name)) return `lists "${name}", which is no level`
      // Levels are in numerical order, whatever the order in which an answer lists them.
      for (let level = this.columns.size; level <= Number(name); level++)
        this.addColumn(String(level))
      return undefined
    }
    if (this.columns.size === mostLabels) return `lists more than ${mostLabels} labels`
    this.addColumn(name)
    return undefined
  }

  private addColumn(name: string): void {
    this.columns.set(name, this.columns.size)
  }

  private table(): Table {
    const columns = this.columns.size
    const values = new Float64Array(this.starts.length * columns)
    this.starts.forEach((start, i) => {
      values.set(this.probabilities.slice(start, this.starts[i + 1]), i * columns)
    })
    return { values, columns }
  }

  private placeOfTruth(name: string, line: number): number {
    const known = this.given.get(name)
    if (known !== undefined) return known.place
    const place = this.given.size
    this.given.set(name, { place, line })
    return place
  }

  private keepError(answer: KnownAnswer, truth: string, decided: string, at: Place): void {
    const probability = probabilityOfDecision(answer)
    const least = this.errors.at(-1)
    if (probability === undefined) return
    if (this.errors.length === mostErrors && least && least.probability >= probability) return
    const error = { index: at.index, id: at.id(), truth, decided, probability }
    const place = this.errors.findIndex((one) => one.probability < probability)
    this.errors.splice(place === -1 ? this.errors.length : place, 0, error)
    if (this.errors.length > mostErrors) this.errors.pop()
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
