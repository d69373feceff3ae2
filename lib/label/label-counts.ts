import * as E from 'fp-ts/Either'
import {
  cannotTell,
  isDone,
  isOnlySkipped,
  type LabelEntry,
  type LabelStep,
  readCellLabel,
} from './label-steps'
import type { LabelProgress, PageQuestion, QuestionSummary, SessionEnd } from './protocol'

/** Counts the labels of the table and the steps of the session. */
export const countLabelProgress = (
  entries: ReadonlyArray<LabelEntry>,
  steps: ReadonlyArray<LabelStep>,
): LabelProgress => {
  let labelled = 0
  let secondLabelCount = 0
  let agreements = 0
  for (const { question, cells } of entries) {
    if (cells.label !== '') labelled++
    if (cells.again === '') continue
    secondLabelCount++
    if (isSameLabel(question, cells.again, cells.label)) agreements++
  }
  return {
    labelled,
    left: entries.length - labelled,
    skipped: steps.filter(({ isSkipped }) => isSkipped).length,
    done: steps.filter(isDone).length,
    steps: steps.length,
    // `again` is the name of second labels in the protocol and in the table.
    again: secondLabelCount === 0 ? null : { n: secondLabelCount, agree: agreements },
  }
}

/** Counts the rows with each answer, for the end of a session. */
export const summarizeSession = (
  entries: ReadonlyArray<LabelEntry>,
  steps: ReadonlyArray<LabelStep>,
  questions: ReadonlyArray<PageQuestion>,
): SessionEnd => ({
  counts: questions.map((question) =>
    summarizeQuestion(
      question,
      entries.filter((entry) => entry.question === question),
    ),
  ),
  skipped: steps.filter(isOnlySkipped).length,
})

const summarizeQuestion = (
  question: PageQuestion,
  entries: ReadonlyArray<LabelEntry>,
): QuestionSummary => {
  const counts = new Map(question.options.map(({ value }) => [value, 0]))
  let cannotTellCount = 0
  let empty = 0
  for (const { cells } of entries) {
    const value = findOptionValue(question, cells.label)
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
    else if (cells.note.startsWith(cannotTell)) cannotTellCount++
    else empty++
  }
  return {
    question: question.text,
    answers: question.options.map(({ value, name }) => ({ name, count: counts.get(value) ?? 0 })),
    cannotTell: cannotTellCount,
    empty,
  }
}

/** Returns the value of the option that a cell holds in any spelling: `TRUE` is `yes`, and `2.0` is `2`. `undefined` for an empty cell. */
const findOptionValue = (question: PageQuestion, cell: string): string | undefined => {
  const label = readCellLabel(cell, question.id, question)
  // Cells that are no labels were refused when the table was opened.
  if (E.isLeft(label) || label.right === undefined) return undefined
  if (typeof label.right === 'boolean') return label.right ? 'yes' : 'no'
  return String(label.right)
}

const isSameLabel = (question: PageQuestion, first: string, second: string): boolean =>
  findOptionValue(question, first) === findOptionValue(question, second)
