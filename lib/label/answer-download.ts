import { formatCsvLine } from '../runs/tables/guards'
import { type EditableTable, getRow } from './editable-table'
import type { LabelCells, LabelStep } from './label-steps'

/** An answer of this session, for the download. */
export interface AnswerToDownload {
  readonly step: LabelStep
  /** The cells with the answer and its note. */
  readonly cells: LabelCells
}

/** Formats answers as CSV with the columns `index`, `id`, `question`, `label` and `note`. */
export const formatAnswersAsCsv = (
  table: EditableTable,
  answers: ReadonlyArray<AnswerToDownload>,
): string => {
  const records = answers.map(({ step: { entry, isSecondShowing }, cells }) => {
    const values = getRow(table, entry.row)
    const label = isSecondShowing ? cells.again : cells.label
    // A table may lack one of the columns `index` and `id`. Its cells are then empty.
    return [values.get('index') ?? '', values.get('id') ?? '', entry.question.id, label, cells.note]
  })
  return [['index', 'id', 'question', 'label', 'note'], ...records].map(formatCsvLine).join('')
}
