import { formats } from '../../lib/runs/rows/form'

/** Declares `-i`, for the commands that read a run. */
export const runFlag = {
  name: 'input',
  short: 'i',
  type: 'string',
  value: 'path',
  default: '-',
  summary: 'the run, as svc batch wrote it; - reads stdin',
  file: true,
  positional: true,
  endings: ['.jsonl', '.json'],
} as const

/** Declares `--format`, for the commands that read rows. */
export const formatFlag = {
  name: 'format',
  type: 'string',
  value: 'format',
  defaultText: 'jsonl',
  oneOf: formats,
} as const

/** Declares how the text of rows and of labels is written. */
export const textFlags = [
  {
    name: 'delimiter',
    type: 'string',
    value: 'character',
    summary: 'what is between the fields of CSV; guessed from , ; and tab if not given',
  },
  {
    name: 'encoding',
    type: 'string',
    value: 'label',
    summary: 'how the text is encoded, such as windows-1252',
    defaultText: 'utf-8',
  },
] as const

/** Declares the flags of the commands that read the rows which a run was asked about. `summary` is that of `--rows`. */
export const declareRowFlags = <const S extends string>(summary: S) =>
  [
    { name: 'rows', type: 'string', value: 'path', summary, file: true },
    { ...formatFlag, summary: 'how those are written; by the ending (.csv, .txt) if not given' },
  ] as const

/** Declares `--policy`, for the commands whose documents say which answers to accept. */
export const policyFlag = {
  name: 'policy',
  type: 'string',
  value: 'path',
  summary: 'tell by a policy of svc calibrate which answers to accept',
  file: true,
} as const

/** Declares `--pin`, for the commands that can exit with 8. */
export const pinFlag = {
  name: 'pin',
  type: 'bool',
  summary: 'with --policy, exit with 8 if another model answered than it was made from',
} as const
