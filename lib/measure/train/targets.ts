import type { QuestionType } from '../../runs/policy/policy'
import { decisionByLabel } from '../decision'
import type { TrainingRow, TrainingSource } from './training-rows'

/** A question with what its model must learn. */
export interface QuestionTargets {
  readonly id: string
  readonly type: QuestionType
  /** All labels: those of a choice, the levels, or `no` and `yes`. */
  readonly labels: ReadonlyArray<string>
  /** The labels that get weights, as indexes in `labels`. The classes of the model, in this order. */
  readonly classes: ReadonlyArray<number>
  /** The rows to fit the model to, as their numbers in the list of rows. */
  readonly rows: Uint32Array
  /** The probability of each class that is right for a row, for all rows, row after row. */
  readonly targets: Float32Array
  /** The weight of each row. The rows to fit to have the mean 1. */
  readonly rowWeights: Float64Array
  /** The reason why the question gets no model; `undefined` if it gets one. */
  readonly whyLeftOut: string | undefined
}

/** A label needs this many rows to get weights. */
const minRowsPerLabel = 5

/** A question needs this many rows to get a model. */
const minRows = 30

/** Returns the right answer to a question in a row by a person, as an index in the labels; −1 if there is none. */
export const findLabelIndex = (
  { labels }: Pick<TrainingRow, 'labels'>,
  id: string,
  type: QuestionType,
  indexOfLabel: ReadonlyMap<string, number>,
): number => {
  const label = labels.get(id)
  const decision = label === undefined ? undefined : decisionByLabel(type, label)
  return decision === undefined ? -1 : (indexOfLabel.get(decision) ?? -1)
}

/** Returns the answer of the run's model to a question in a row, as probabilities by label; `undefined` if there is none. */
const readAnswer = (
  { answers }: TrainingRow,
  id: string,
  indexOfLabel: ReadonlyMap<string, number>,
): Float64Array | undefined => {
  const answer = answers.get(id)
  if (answer === undefined) return undefined
  const probabilities = new Float64Array(indexOfLabel.size)
  for (const [label, p] of answer) probabilities[indexOfLabel.get(label) as number] = p
  return probabilities
}

/** Returns the index of the largest number, of equal ones the first. */
export const indexOfLargest = (numbers: ArrayLike<number>): number => {
  let index = 0
  for (let i = 1; i < numbers.length; i++)
    if ((numbers[i] as number) > (numbers[index] as number)) index = i
  return index
}

/** Decides on the classes and the rows of a question's model. Lists the labels from the run's answers. */
export const createTargets = (
  id: string,
  { type, labels }: Pick<QuestionTargets, 'type' | 'labels'>,
  rows: ReadonlyArray<TrainingRow>,
  from: TrainingSource,
): QuestionTargets => {
  const indexOfLabel = new Map(labels.map((label, index) => [label, index]))
  /** The right label of each row, or the most probable one of the answer; −1 for none. */
  const decided = rows.map((row) => {
    if (from === 'labels') return findLabelIndex(row, id, type, indexOfLabel)
    const answer = readAnswer(row, id, indexOfLabel)
    return answer === undefined ? -1 : indexOfLargest(answer)
  })
  const counts = labels.map((_, index) => decided.filter((label) => label === index).length)
  const classes = [...labels.keys()].filter((index) => (counts[index] as number) >= minRowsPerLabel)
  const used = Uint32Array.from(
    [...rows.keys()].filter((row) => classes.includes(decided[row] as number)),
  )
  const targets = new Float32Array(rows.length * classes.length)
  for (const row of used) {
    const answer =
      from === 'labels' ? undefined : readAnswer(rows[row] as TrainingRow, id, indexOfLabel)
    const start = row * classes.length
    if (answer === undefined) targets[start + classes.indexOf(decided[row] as number)] = 1
    else writeShares(answer, classes, targets, start)
  }
  return {
    id,
    type,
    labels,
    classes,
    rows: used,
    targets,
    rowWeights: createRowWeights(rows, used, from),
    whyLeftOut: explainLeftOut(used.length, classes.length),
  }
}

/** Writes the probabilities of the classes, so that they sum to 1. */
const writeShares = (
  answer: Float64Array,
  classes: ReadonlyArray<number>,
  targets: Float32Array,
  start: number,
): void => {
  let total = 0
  for (const label of classes) total += answer[label] as number
  for (const [k, label] of classes.entries()) targets[start + k] = (answer[label] as number) / total
}

/** Computes the weights of rows, 1/p, scaled to the mean 1 for the rows that are used. */
const createRowWeights = (
  rows: ReadonlyArray<TrainingRow>,
  used: Uint32Array,
  from: TrainingSource,
): Float64Array => {
  const weights = Float64Array.from(
    rows,
    ({ p, runP }) => 1 / ((from === 'labels' ? p : runP) ?? 1),
  )
  const total = used.reduce((sum, row) => sum + (weights[row] as number), 0)
  return weights.map((weight) => (weight * used.length) / total)
}

const explainLeftOut = (rowCount: number, classCount: number): string | undefined => {
  if (classCount < 2)
    return classCount === 0
      ? `no label has ${minRowsPerLabel} rows`
      : `only one label has ${minRowsPerLabel} rows`
  return rowCount < minRows ? `a model takes ${minRows} rows, and there are ${rowCount}` : undefined
}
