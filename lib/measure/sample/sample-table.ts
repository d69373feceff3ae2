import type { JsonValue } from '../../codec/json/json'
import { formatCells, formatCsvLine } from '../../runs/rows/csv'
import type { SampledRow } from './sample'

/** Spreadsheets need this mark at the start of a table to read it as UTF-8. */
export const byteOrderMark = '\ufeff'

/**
 * Formats a sample as a CSV table for labelling. Its columns are `index`, `id` if any row has one, `p`, the fields of the input,
 * and `<question>.label` for each question. Labels that are not known yet are empty cells. `--labels` reads the table.
 */
export const tabulateSample = (
  sample: ReadonlyArray<SampledRow>,
  rows: ReadonlyMap<number, JsonValue>,
): string => {
  const hasId = sample.some(({ id }) => id !== undefined)
  const questions = [...new Set(sample.flatMap((row) => row.questions))]
  const recordColumns = hasId ? ['index', 'id', 'p'] : ['index', 'p']
  const labelColumns = questions.map((id) => `${id}.label`)
  const fieldsByRow = sample.map(({ index }) => {
    const row = rows.get(index)
    return new Map(row === undefined ? [] : formatCells(row))
  })
  const fields = new Set(fieldsByRow.flatMap((cells) => [...cells.keys()]))
  for (const column of [...recordColumns, ...labelColumns]) fields.delete(column)
  const fieldColumns = [...fields]
  const header = [...recordColumns, ...fieldColumns, ...labelColumns]
  const lines = sample.map(({ index, id = '', p, labels }, i) => [
    String(index),
    ...(hasId ? [id] : []),
    p === null ? '' : String(p),
    ...fieldColumns.map((name) => fieldsByRow[i]?.get(name) ?? ''),
    ...questions.map((question) => String(labels.get(question) ?? '')),
  ])
  return [header, ...lines].map(formatCsvLine).join('')
}
