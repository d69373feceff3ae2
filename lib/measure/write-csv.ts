/** Whether a spreadsheet would take a cell for a formula. Numbers such as `-1` are none. R29 */
const isFormula = (cell: string): boolean =>
  /^[=+\-@\t\r]/.test(cell) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell)

/** Whether a cell is a formula, or a formula behind guards. */
const takesGuard = (cell: string): boolean => isFormula(cell.replace(/^'+/, ''))

/** Puts `'` before a cell that a spreadsheet would run as a formula, and before one that has such a guard. R29 */
const guardCell = (cell: string): string => (takesGuard(cell) ? `'${cell}` : cell)

/** Takes that `'` off again. R29, R30 */
export const unguardCell = (cell: string): string =>
  cell.startsWith("'") && takesGuard(cell) ? cell.slice(1) : cell

/** Writes a line of CSV with its newline, quoted where needed and guarded against formulas. RFC 4180, R29 */
export const writeCsvLine = (cells: ReadonlyArray<string>): string =>
  `${cells.map((cell) => quoteCell(guardCell(cell))).join(',')}\n`

const quoteCell = (cell: string): string =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
