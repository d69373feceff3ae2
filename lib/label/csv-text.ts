/** The text of a CSV table, divided into records. Cells that are not changed keep their exact characters. */
export interface CsvText {
  readonly delimiter: string
  /** The byte order mark at the start of the text, or `''`. */
  readonly mark: string
  /** The first record, with its line end. */
  header: CsvRecord
  readonly rows: CsvRecord[]
}

/** The text of a record. A quoted cell may contain line breaks. */
export interface CsvRecord {
  /** The record without its line end. */
  text: string
  /** `\n`, `\r\n`, or `''` at the end of a file. */
  readonly end: string
  /** The line of the file on which the record begins, from 1. */
  readonly line: number
}

const byteOrderMark = '\ufeff'

/** Divides the text of a CSV table into records. Blank lines between records are kept with the record before them. */
export const parseCsvText = (text: string): CsvText => {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  const [header = { text: '', end: '', line: 1 }, ...rows] = splitRecords(text.slice(mark.length))
  return { delimiter: guessDelimiter(header.text), mark, header, rows }
}

/** Writes the table back. Without changes the result is the text that was parsed. */
export const formatCsvText = ({ mark, header, rows }: CsvText): string =>
  mark + [header, ...rows].map(({ text, end }) => text + end).join('')

const splitRecords = (text: string): CsvRecord[] => {
  const records: CsvRecord[] = []
  let line = 1
  for (let at = 0; at < text.length; ) {
    const stop = findRecordEnd(text, at)
    const end = /(?:\r?\n)*/y
    end.lastIndex = stop
    const breaks = end.exec(text)?.[0] ?? ''
    records.push({ text: text.slice(at, stop), end: breaks, line })
    line += countBreaks(text, at, stop + breaks.length)
    at = stop + breaks.length
  }
  return records
}

/** Finds the first line break outside quotes. */
const findRecordEnd = (text: string, from: number): number => {
  let isQuoted = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    if (character === '\n' && !isQuoted) return at > from && text[at - 1] === '\r' ? at - 1 : at
  }
  return text.length
}

const countBreaks = (text: string, from: number, to: number): number => {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1))
    count++
  return count
}

/** Guesses the delimiter: the one that divides the header into the most cells, a comma if none does. */
const guessDelimiter = (header: string): string =>
  [',', ';', '\t'].reduce((best, one) =>
    splitCells(header, one).length > splitCells(header, best).length ? one : best,
  )

/** Divides a record into the texts of its cells, including quotes. */
export const splitCells = (record: string, delimiter: string): string[] => {
  const cells: string[] = []
  let isQuoted = false
  let start = 0
  for (let at = 0; at < record.length; at++) {
    const character = record[at]
    if (character === '"') isQuoted = !isQuoted
    if (character === delimiter && !isQuoted) {
      cells.push(record.slice(start, at))
      start = at + 1
    }
  }
  cells.push(record.slice(start))
  return cells
}

/** Decodes the text of a cell, which may be quoted. */
export const decodeCell = (cell: string): string =>
  cell.startsWith('"') && cell.endsWith('"') && cell.length > 1
    ? cell.slice(1, -1).replaceAll('""', '"')
    : cell

/** Writes a value as a cell, in quotes if it needs them. */
export const encodeCell = (value: string, delimiter: string): string =>
  value.includes(delimiter) || /["\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
