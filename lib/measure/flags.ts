import { type Format, formatFlag } from '../batch/format'
import { type Failure, usage } from '../failure/failure'

/** Declares the flags of the commands that take labels from a file beside the run. R30 */
export const labelFlags = [
  {
    name: 'labels',
    type: 'string',
    value: 'path',
    summary: 'take the labels from this file (.csv, else JSONL) in place of those of the run',
    file: true,
  },
  {
    name: 'label',
    type: 'strings',
    value: 'question=field',
    summary: 'with --labels, the field of a label; <question>.label where not given',
  },
  {
    name: 'id-field',
    type: 'string',
    value: 'name',
    summary: 'with --labels, the field that says which row it is; rows without it go by index',
    defaultText: 'id',
  },
] as const

/** The values of these flags. */
export interface LabelFlags {
  readonly labels: string | undefined
  readonly label: ReadonlyArray<string>
  readonly 'id-field': string | undefined
}

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
