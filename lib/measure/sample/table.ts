import type { Json } from '../../codec/json/json'
import { cellsOf, writeCsvLine } from '../../runs/rows/csv'
import type { SampledRow } from './sample'

/**
 * Writes a sample as a CSV table for labelling: `index`, `id` where rows have one, `p`, the columns of the rows, and an
 * empty column `<question>.label` for each question. `--labels` reads it back. R30
 */
export const tabulateSample = (
  sample: ReadonlyArray<SampledRow>,
  rows: ReadonlyMap<number, Json>,
): string => {
  const hasId = sample.some(({ id }) => id !== undefined)
  const questions = [...new Set(sample.flatMap((row) => row.questions))]
  const labels = questions.map((id) => `${id}.label`)
  const own = new Set(['index', ...(hasId ? ['id'] : []), 'p', ...labels])
  const cells = sample.map(({ index }) => {
    const row = rows.get(index)
    return new Map(row === undefined ? [] : cellsOf(row))
  })
  const columns = [...new Set(cells.flatMap((row) => [...row.keys()]))].filter(
    (name) => !own.has(name),
  )
  const header = ['index', ...(hasId ? ['id'] : []), 'p', ...columns, ...labels]
  const lines = sample.map(({ index, id = '', p }, i) => [
    ...[String(index), ...(hasId ? [id] : []), p === null ? '' : String(p)],
    ...columns.map((name) => cells[i]?.get(name) ?? ''),
    ...labels.map(() => ''),
  ])
  return [header, ...lines].map(writeCsvLine).join('')
}
