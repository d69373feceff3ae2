import { extname } from 'node:path'
import { type Failure, usage } from '../../failure/failure'

/** The values of `--format`: how the rows of an input are written. R4 */
const formats = ['jsonl', 'csv', 'lines'] as const

/** The format of an input. R4 */
export type Format = (typeof formats)[number]

/** The format that the extension of a path stands for. R4 */
export const formatOf = (path: string): Format => {
  switch (extname(path).toLowerCase()) {
    case '.csv':
      return 'csv'
    case '.txt':
      return 'lines'
    default:
      return 'jsonl'
  }
}

/** Declares `--format`, for the commands that read rows. R4 */
export const formatFlag = {
  name: 'format',
  type: 'string',
  value: 'format',
  defaultText: 'jsonl',
  oneOf: formats,
} as const

/** Declares the flags of the commands that read the rows which a run was asked about. `summary` is that of `--rows`. */
export const declareRowFlags = <const S extends string>(summary: S) =>
  [
    { name: 'rows', type: 'string', value: 'path', summary, file: true },
    { ...formatFlag, summary: 'how those are written; by the ending (.csv, .txt) where not given' },
  ] as const

/** The values of these flags, and the path of the run. */
export interface RowFlags {
  readonly input: string
  readonly rows: string | undefined
  readonly format: Format | undefined
}

/** Finds what is wrong with these flags together: a usage error; `undefined` where nothing is. */
export const findFlagFault = ({ input, rows, format }: RowFlags): Failure | undefined => {
  if (format !== undefined && rows === undefined) return usage('--format needs --rows')
  return rows === '-' && input === '-'
    ? usage('--rows - needs the run from a file: pass --input')
    : undefined
}
