import { cannotTell, type LabelCells, type LabelEntry, type LabelStep } from './label-steps'
import type { PageAnswer, PageQuestion } from './protocol'

/** Checks if a value is one of the answers to a question. */
export const hasOption = ({ options }: PageQuestion, value: string): boolean =>
  options.some((option) => option.value === value)

/** Returns the cells of a step after an answer. An empty `note` keeps the note that the row has. */
export const applyAnswer = (
  { entry, isSecondShowing }: LabelStep,
  answer: PageAnswer,
  note: string,
): LabelCells => {
  const withNote = { ...entry.cells, note: note || entry.cells.note }
  if (answer.kind === 'cannot tell') return { ...withNote, note: addCannotTell(withNote.note) }
  if (answer.kind === 'skip') return withNote
  return isSecondShowing
    ? { ...withNote, again: answer.value }
    : { ...withNote, label: answer.value }
}

/** Begins a note with `cannot tell`, such as `cannot tell: torn`. */
const addCannotTell = (note: string): string => {
  if (note.startsWith(cannotTell)) return note
  return note === '' ? cannotTell : `${cannotTell}: ${note}`
}

/** Lists the columns whose value changes, with the new values. */
export const listChanges = (entry: LabelEntry, cells: LabelCells): ReadonlyMap<string, string> => {
  const changes = new Map<string, string>()
  for (const name of ['label', 'again', 'note'] as const)
    if (cells[name] !== entry.cells[name]) changes.set(`${entry.question.id}.${name}`, cells[name])
  return changes
}
