import { createRandom, shuffleNumbers } from '../runtime/random'
import { type EditedLabelTable, labelColumns } from './label-table'

/** A cell that a person fills in. */
export interface LabelStep {
  readonly row: number
  readonly question: string
  /** True if the row is shown for the second time. */
  readonly isAgain: boolean
}

/** A note that explains an empty label begins with these words. */
export const cannotTell = 'cannot tell'

/** The rows between the two showings of a row, at least: nearer ones would be remembered. */
const minRowsBetween = 10

/**
 * Lists the cells to fill in: the rows in an order shuffled by the seed, and for each row its questions. Leaves out
 * cells that have a label, and those that the person could not tell. At the end, the first `again` rows follow a
 * second time, each at least ten rows after its first showing.
 */
export const listSteps = (
  table: EditedLabelTable,
  questions: ReadonlyArray<string>,
  { seed, again }: { readonly seed: number; readonly again: number },
): ReadonlyArray<LabelStep> => {
  const order = [...shuffleNumbers(table.rows, createRandom(seed))]
  const first = order.flatMap((row) =>
    questions
      .filter((question) => isOpen(table, row, question))
      .map((question) => ({ row, question, isAgain: false })),
  )
  return [...first, ...listSecondShowings(table, questions, order, first, again)]
}

const isOpen = (table: EditedLabelTable, row: number, question: string): boolean => {
  const { label, note } = labelColumns(question)
  return table.read(row, label) === '' && !table.read(row, note).startsWith(cannotTell)
}

const listSecondShowings = (
  table: EditedLabelTable,
  questions: ReadonlyArray<string>,
  order: ReadonlyArray<number>,
  first: ReadonlyArray<LabelStep>,
  again: number,
): ReadonlyArray<LabelStep> => {
  const shown = [...new Set(first.map(({ row }) => row))]
  const places = new Map(shown.map((row, place) => [row, place]))
  const steps: LabelStep[] = []
  let rows = 0
  for (const row of order) {
    if (rows === again) break
    const place = places.get(row)
    const isFarEnough = place === undefined || shown.length + rows - place >= minRowsBetween
    if (!isFarEnough) continue
    rows += 1
    for (const question of questions)
      if (table.read(row, labelColumns(question).again) === '')
        steps.push({ row, question, isAgain: true })
  }
  return steps
}
