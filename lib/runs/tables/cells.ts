import * as E from 'fp-ts/Either'
import type { TableSyntax } from './records'

/**
 * Splits a record, without its line break, into its cells, which keep their quotes. Fails with a message if a quote is where none may
 * be.
 */
export const splitCells = (
  record: string,
  { delimiter, hasQuotes }: TableSyntax,
): E.Either<string, ReadonlyArray<string>> => {
  if (!hasQuotes || !record.includes('"')) return E.right(record.split(delimiter))
  const cells: string[] = []
  let start = 0
  // The index of the first quote at or after `start`; −1 if there is none.
  let nextQuote = record.indexOf('"')
  for (;;) {
    const end =
      nextQuote === start
        ? findQuotedEnd(record, start, delimiter)
        : findUnquotedEnd(record, start, delimiter, nextQuote)
    if (E.isLeft(end)) return end
    cells.push(record.slice(start, end.right))
    if (end.right === record.length) return E.right(cells)
    start = end.right + 1
    if (nextQuote >= 0 && nextQuote < start) nextQuote = record.indexOf('"', start)
  }
}

const hint = '; if quotes are ordinary characters in this table, pass --no-quotes'

/** Finds the end of the quoted cell at `start`. Two quotes inside it are an escaped one. */
const findQuotedEnd = (
  record: string,
  start: number,
  delimiter: string,
): E.Either<string, number> => {
  let index = record.indexOf('"', start + 1)
  while (index >= 0 && record[index + 1] === '"') index = record.indexOf('"', index + 2)
  if (index < 0) return E.left(`a quoted field is not closed${hint}`)
  const end = index + 1
  return end === record.length || record[end] === delimiter
    ? E.right(end)
    : E.left(`a closing quote is not followed by a delimiter or the end of the record${hint}`)
}

const findUnquotedEnd = (
  record: string,
  start: number,
  delimiter: string,
  nextQuote: number,
): E.Either<string, number> => {
  const index = record.indexOf(delimiter, start)
  const end = index < 0 ? record.length : index
  return nextQuote >= 0 && nextQuote < end
    ? E.left(`a quote is inside a field that does not begin with a quote${hint}`)
    : E.right(end)
}

/** Returns the text of a cell, without its quotes. */
export const decodeCell = (cell: string, { hasQuotes }: TableSyntax): string =>
  hasQuotes && cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell

/** Encodes the text of a cell. Without quotes, fails with a message if the text has a delimiter or a line break. */
export const encodeCell = (
  text: string,
  { delimiter, hasQuotes }: TableSyntax,
): E.Either<string, string> => {
  const needsQuotes = text.includes(delimiter) || /[\r\n]/.test(text)
  if (!hasQuotes)
    return needsQuotes
      ? E.left('a table without quotes cannot hold a delimiter or a line break in a cell')
      : E.right(text)
  return E.right(needsQuotes || text.includes('"') ? quoteText(text) : text)
}

/** Puts a text in quotes. */
export const quoteText = (text: string): string => `"${text.replaceAll('"', '""')}"`

/**
 * Returns `true` if a cell is quoted and holds both a line break and a delimiter. Many such cells are a sign that quotes are ordinary
 * characters, and that several rows became one.
 */
export const spansRows = (cell: string, { delimiter, hasQuotes }: TableSyntax): boolean =>
  hasQuotes && cell.startsWith('"') && cell.includes(delimiter) && /[\r\n]/.test(cell)
