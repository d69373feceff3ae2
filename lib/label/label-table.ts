import { guardCell, unguardCell } from '../runs/rows/csv'
import {
  type CsvRecord,
  type CsvText,
  decodeCell,
  encodeCell,
  formatCsvText,
  parseCsvText,
  splitCells,
} from './csv-text'

/** A field of a row that the page shows. */
export interface ShownField {
  readonly name: string
  readonly text: string
}

/**
 * A table that `svc sample` wrote, of which only the columns of labels, second labels and notes change. Every other cell
 * keeps the text that it has in the file.
 */
export interface EditedLabelTable {
  readonly rows: number
  /** Returns the value of a cell; `''` if the table has no such column. */
  readonly read: (row: number, column: string) => string
  /** Changes a cell. Adds the column at the end of the table if there is none of this name. */
  readonly write: (row: number, column: string, value: string) => void
  /** The fields of a row that the page may show: no labels, notes, answers or chances. Empty ones are left out. */
  readonly show: (row: number) => ReadonlyArray<ShownField>
  /** Everything in a row that labelling does not change, for comparing two tables. */
  readonly describeRow: (row: number) => string
  readonly format: () => string
}

/** The columns for the answers of a person to a question. */
export const labelColumns = (question: string) => ({
  label: `${question}.label`,
  again: `${question}.again`,
  note: `${question}.note`,
})

/** The columns that say how a row was drawn. */
const drawColumns = ['index', 'p']

/** Parses a table for labels. Fails with a sentence about the fault and its line. */
export const parseLabelTable = (
  text: string,
  questions: ReadonlyArray<string>,
): EditedLabelTable | { readonly fault: string } => {
  const csv = parseCsvText(text)
  const { delimiter } = csv
  const columns = splitCells(csv.header.text, delimiter).map((cell) =>
    unguardCell(decodeCell(cell)),
  )
  const missing = questions.find((id) => !columns.includes(labelColumns(id).label))
  if (missing !== undefined) {
    const wanted = questions.map((id) => labelColumns(id).label)
    const sampled = `svc sample -o table.csv writes index,id,p,…,${wanted.join(',')}`
    return { fault: `it has no column "${labelColumns(missing).label}" to fill in; ${sampled}` }
  }
  const twice = columns.find((name, i) => columns.indexOf(name) !== i)
  if (twice !== undefined) return { fault: `it has two columns "${twice}"` }
  for (const { text: record, line } of csv.rows) {
    const cells = splitCells(record, delimiter).length
    if (cells !== columns.length)
      return { fault: `line ${line}: it has ${cells} cells, the header has ${columns.length}` }
  }
  return createLabelTable(csv, columns, questions)
}

const createLabelTable = (
  csv: CsvText,
  columns: string[],
  questions: ReadonlyArray<string>,
): EditedLabelTable => {
  const { delimiter } = csv
  const written = new Set(questions.flatMap((id) => Object.values(labelColumns(id))))
  const isShown = (column: string): boolean =>
    !drawColumns.includes(column) &&
    !questions.some((id) => column === id || column.startsWith(`${id}.`)) &&
    !/\.(label|again|note)$/.test(column)
  const formatCells = (row: number): string[] => splitCells(recordAt(csv, row).text, delimiter)
  const readCell = (row: number, column: string): string => {
    const place = columns.indexOf(column)
    return place === -1 ? '' : unguardCell(decodeCell(formatCells(row)[place] ?? ''))
  }
  // These columns are counted after every answer. Dividing 100,000 lines each time would be felt.
  const known = new Map<string, string[]>()
  const readColumn = (column: string): string[] => {
    const values = known.get(column) ?? csv.rows.map((_, row) => readCell(row, column))
    known.set(column, values)
    return values
  }
  const read = (row: number, column: string): string =>
    written.has(column) ? (readColumn(column)[row] as string) : readCell(row, column)
  const addColumn = (column: string): void => {
    columns.push(column)
    csv.header.text += delimiter + encodeCell(guardCell(column), delimiter)
    for (const record of csv.rows) record.text += delimiter
  }
  return {
    rows: csv.rows.length,
    read,
    write: (row, column, value) => {
      if (!columns.includes(column)) addColumn(column)
      const cells = formatCells(row)
      cells[columns.indexOf(column)] = encodeCell(guardCell(value), delimiter)
      recordAt(csv, row).text = cells.join(delimiter)
      readColumn(column)[row] = value
    },
    show: (row) =>
      columns.flatMap((name) => {
        const text = isShown(name) ? read(row, name) : ''
        return text === '' ? [] : [{ name, text }]
      }),
    describeRow: (row) =>
      JSON.stringify(
        columns.flatMap((name) => (written.has(name) ? [] : [[name, read(row, name)]])),
      ),
    format: () => formatCsvText(csv),
  }
}

const recordAt = (csv: CsvText, row: number): CsvRecord => csv.rows[row] as CsvRecord
