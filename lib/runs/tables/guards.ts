import { plainText } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import { formatCount } from '../../text/table'
import { quoteText } from './cells'

/** Returns the cells of a row for a table, by column. Texts are unchanged, other values are JSON. */
export const formatCells = (
  row: JsonValue,
): ReadonlyArray<readonly [column: string, cell: string]> =>
  row instanceof Map
    ? Array.from(row, ([column, value]) => [column, plainText(value)] as const)
    : [['row', plainText(row)]]

/**
 * Returns `true` if a spreadsheet would run a cell as a formula, such as `=1+1` or `-x`. Full-width signs such as `＝` also begin a
 * formula. A number such as `-1.5e3` is no formula.
 */
const isFormula = (cell: string): boolean =>
  /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) &&
  !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell)

/** Returns `true` for a formula, and for a formula that already has guards, such as `'=1+1`. */
const needsGuard = (cell: string): boolean => isFormula(cell.replace(/^'+/, ''))

/**
 * Puts the guard `'` before a formula, so a spreadsheet shows it as text. A formula that already has guards gets one more, so that
 * `unguardCell` restores it.
 */
export const guardCell = (cell: string): string => (needsGuard(cell) ? `'${cell}` : cell)

/** Removes the guard that `guardCell` put before a cell. */
export const unguardCell = (cell: string): string =>
  cell.startsWith("'") && needsGuard(cell) ? cell.slice(1) : cell

/** The column `urgent.label` has the labels of the question `urgent`. */
export const labelSuffix = '.label'

/** The column `urgent.decision` has the decisions of the answers to the question `urgent`. */
export const decisionSuffix = '.decision'

/** Returns `true` if svc wrote a table with these columns. Its cells have guards. */
export const isGuardedTable = (columns: ReadonlyArray<string>): boolean =>
  columns.some((name) => name.endsWith(labelSuffix) || name.endsWith(decisionSuffix))

/** Formats a line of CSV (RFC 4180) with its newline, quoted if necessary and guarded against formulas. */
export const formatCsvLine = (cells: ReadonlyArray<string>): string =>
  `${cells.map((cell) => formatCsvCell(cell, /[",\r\n]/)).join(',')}\n`

/** Formats the header of a table. Quotes names with other delimiters too, so that a reader finds the comma. */
export const formatCsvHeader = (columns: ReadonlyArray<string>): string =>
  `${columns.map((name) => formatCsvCell(name, /[",;\t\r\n]/)).join(',')}\n`

const formatCsvCell = (text: string, needsQuotes: RegExp): string => {
  const cell = guardCell(text)
  return needsQuotes.test(cell) ? quoteText(cell) : cell
}

/** Counts texts with a lone surrogate, half of a character, which UTF-8 does not have. svc writes U+FFFD in its place. */
export const countBrokenTexts = (texts: Iterable<string>): number => {
  let count = 0
  for (const text of texts) if (/\p{Surrogate}/u.test(text)) count += 1
  return count
}

/** Formats a remark for stderr about such texts in a table; `undefined` if there are none. */
export const describeBrokenTexts = (command: string, count: number): string | undefined =>
  count === 0
    ? undefined
    : `${command}: ${formatCount(count, 'cell', 'has', 'have')} half a character (a lone surrogate), written as U+FFFD`

/**
 * Gives the prefix `input.` to fields of the input that have the name of a column that svc writes itself. Returns the names of the
 * columns, which are unique.
 */
export const nameInputColumns = (
  fields: ReadonlyArray<string>,
  ownColumns: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const taken = new Set([...ownColumns, ...fields])
  const own = new Set(ownColumns)
  return fields.map((field) => {
    if (!own.has(field)) return field
    let name = `input.${field}`
    while (taken.has(name)) name = `input.${name}`
    taken.add(name)
    return name
  })
}
