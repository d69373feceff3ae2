import type { JsonValue } from '../../codec/json/json'
import { formatCells, formatCsvLine } from '../../runs/rows/csv'
import type { SampledRow } from './sample'

/** Spreadsheets need this mark at the start of a table to read it as UTF-8. */
export const byteOrderMark = '\ufeff'

/**
 * Writes a sample as a CSV table for labelling: `index`, `id` if rows have one, `p`, the columns of the rows, and a column
 * `<question>.label` for each question, empty if the label is not known yet. `--labels` reads it back.
 */
export const tabulateSample = (
  sample: ReadonlyArray<SampledRow>,
  rows: ReadonlyMap<number, JsonValue>,
): string => {
  const hasId = sample.some(({ id }) => id !== undefined)
  const questions = [...new Set(sample.flatMap((row) => row.questions))]
  const ownColumns = hasId ? ['index', 'id', 'p'] : ['index', 'p']
  const labelColumns = questions.map((id) => `${id}.label`)
  const taken = new Set([...ownColumns, ...labelColumns])
  const cells = sample.map(({ index }) => {
    const row = rows.get(index)
    return new Map(row === undefined ? [] : formatCells(row))
  })
  const columns = [...new Set(cells.flatMap((row) => [...row.keys()]))].filter(
    (name) => !taken.has(name),
  )
  const lines = sample.map(({ index, id = '', p, labels }, i) => [
    String(index),
    ...(hasId ? [id] : []),
    p === null ? '' : String(p),
    ...columns.map((name) => cells[i]?.get(name) ?? ''),
    ...questions.map((question) => String(labels.get(question) ?? '')),
  ])
  return [[...ownColumns, ...columns, ...labelColumns], ...lines].map(formatCsvLine).join('')
}
