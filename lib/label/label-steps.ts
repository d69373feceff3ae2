import type * as E from 'fp-ts/Either'
import type { Label } from '../runs/record/decode'
import { type LabelRange, readLabel } from '../runs/tables/label-values'
import { createRandom, shuffleNumbers } from '../runtime/random'
import { countTableRows, type EditableTable, getRow } from './editable-table'
import type { PagePosition, PageQuestion } from './protocol'

/** The three cells in which a person labels a row for one question. Each is a column `<id>.<name>` of the table. */
export interface LabelCells {
  readonly label: string
  /** The label of the second showing. */
  readonly again: string
  readonly note: string
}

/** A row and a question, with the current values of their cells. */
export interface LabelEntry {
  /** The number of the row, from 0. */
  readonly row: number
  readonly question: PageQuestion
  cells: LabelCells
}

/** One question about one row, as the page asks it. */
export interface LabelStep {
  readonly entry: LabelEntry
  /** True if the row is shown for the second time. */
  readonly isSecondShowing: boolean
  /** True if the person skipped the step or could not tell. */
  isSkipped: boolean
}

/** The note of a row begins with these words if the person could not tell its label. */
export const cannotTell = 'cannot tell'

/** The minimum distance between the two showings of a row, in rows. People would remember a row that they saw more recently. */
const minRowDistance = 10

/** The columns that a person fills in for a question. */
export const listLabelColumns = (question: string): ReadonlyArray<string> => [
  `${question}.label`,
  `${question}.again`,
  `${question}.note`,
]

/** Reads the label in a cell; `undefined` if the cell is empty. Fails with a message that names the field. */
export const readCellLabel = (
  cell: string,
  field: string,
  { id, type, options }: Pick<PageQuestion, 'id' | 'type' | 'options'>,
): E.Either<string, Label | undefined> => {
  const labels = options.map(({ value }) => value)
  return readLabel(cell, { field, questionId: id, range: createLabelRange(type, labels) })
}

const createLabelRange = (
  type: PageQuestion['type'],
  labels: ReadonlyArray<string>,
): LabelRange => {
  switch (type) {
    case 'noul':
      return { type }
    case 'choice':
      return { type, labels, isComplete: true }
    case 'score':
      return { type, levelCount: labels.length }
  }
}

/** Creates the entries of each row: one for each question, in their order. */
export const createEntries = (
  table: EditableTable,
  questions: ReadonlyArray<PageQuestion>,
): ReadonlyArray<ReadonlyArray<LabelEntry>> => {
  const columns = questions.flatMap(({ id }) => listLabelColumns(id))
  const entriesByRow: LabelEntry[][] = []
  for (let row = 0; row < countTableRows(table); row++) {
    const values = getRow(table, row, columns)
    const getCell = (column: string): string => values.get(column) ?? ''
    // A cell of blanks has no label.
    const getLabel = (column: string): string =>
      getCell(column).trim() === '' ? '' : getCell(column)
    const entries = questions.map((question) => ({
      row,
      question,
      cells: {
        label: getLabel(`${question.id}.label`),
        again: getLabel(`${question.id}.again`),
        note: getCell(`${question.id}.note`),
      },
    }))
    entriesByRow.push(entries)
  }
  return entriesByRow
}

/**
 * Lists what to ask: the rows in an order shuffled by the seed, and for each row its questions. Leaves out entries that have a label,
 * or a note that the person cannot tell. Then rows follow a second time, each at least ten rows after its first showing. The distance
 * is smaller if the person skips steps in between. Rows of earlier sessions may be shown a second time too. Selects up to
 * `repeatedRowCount` rows for that. Selected rows that earlier sessions have shown twice are not shown again.
 */
export const listSteps = (
  entriesByRow: ReadonlyArray<ReadonlyArray<LabelEntry>>,
  seed: number,
  repeatedRowCount: number,
): ReadonlyArray<LabelStep> => {
  const order = [...shuffleNumbers(entriesByRow.length, createRandom(seed))]
  // `?? []` is only for the compiler, because each row has entries.
  const unanswered = order.flatMap((row) => (entriesByRow[row] ?? []).filter(isUnanswered))
  return [
    ...unanswered.map((entry) => ({ entry, isSecondShowing: false, isSkipped: false })),
    ...listSecondShowings(entriesByRow, order, unanswered, repeatedRowCount),
  ]
}

/** Lists the steps that show a row for the second time. `order` is the order of the rows, `unanswered` the first showings. */
const listSecondShowings = (
  entriesByRow: ReadonlyArray<ReadonlyArray<LabelEntry>>,
  order: ReadonlyArray<number>,
  unanswered: ReadonlyArray<LabelEntry>,
  repeatedRowCount: number,
): ReadonlyArray<LabelStep> => {
  const firstRows = [...new Set(unanswered.map(({ row }) => row))]
  const firstPositions = new Map(firstRows.map((row, position) => [row, position]))
  const steps: LabelStep[] = []
  // Counts the rows with a second showing, of this session or an earlier one.
  let repeatCount = 0
  // The position of the next second showing, in rows since the start of the session.
  let position = firstRows.length
  for (const row of order) {
    if (repeatCount === repeatedRowCount) break
    // A row that was labelled in an earlier session has no first position.
    const firstPosition = firstPositions.get(row)
    if (firstPosition !== undefined && position - firstPosition < minRowDistance) continue
    repeatCount += 1
    const repeatedEntries = (entriesByRow[row] ?? []).filter(({ cells }) => cells.again === '')
    // A row that was shown twice in earlier sessions counts, but is not shown.
    if (repeatedEntries.length === 0) continue
    position += 1
    for (const entry of repeatedEntries)
      steps.push({ entry, isSecondShowing: true, isSkipped: false })
  }
  return steps
}

/** Locates each step in its session. Steps about the same showing of a row follow each other. */
export const locateSteps = (steps: ReadonlyArray<LabelStep>): ReadonlyArray<PagePosition> => {
  const showings: LabelStep[][] = []
  for (const step of steps) {
    const showing = showings.at(-1)
    if (showing !== undefined && isSameShowing(showing[0], step)) showing.push(step)
    else showings.push([step])
  }
  return showings.flatMap((showing, row) =>
    showing.map((_, question) => ({
      row: row + 1,
      rows: showings.length,
      question: question + 1,
      questions: showing.length,
    })),
  )
}

const isSameShowing = (first: LabelStep | undefined, second: LabelStep): boolean =>
  first?.entry.row === second.entry.row && first.isSecondShowing === second.isSecondShowing

/** Checks if the person skipped a step, and did not answer that they cannot tell. */
export const isOnlySkipped = ({ entry, isSkipped }: LabelStep): boolean =>
  isSkipped && !entry.cells.note.startsWith(cannotTell)

/** Checks if a step has its label, or was skipped. */
export const isDone = ({ entry, isSecondShowing, isSkipped }: LabelStep): boolean =>
  isSkipped || (isSecondShowing ? entry.cells.again : entry.cells.label) !== ''

const isUnanswered = ({ cells }: LabelEntry): boolean =>
  cells.label === '' && !cells.note.startsWith(cannotTell)
