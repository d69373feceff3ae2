import { rowFormats } from '../../lib/runs/rows/form'

/** Declares `--input` (`-i`) for the commands that read a run. */
export const runFlag = {
  name: 'input',
  short: 'i',
  type: 'string',
  placeholder: 'path',
  default: '-',
  summary: 'the run that svc batch wrote; - reads stdin',
  isFile: true,
  isPositional: true,
  endings: ['.jsonl', '.json'],
} as const

/** Declares `--output` (`-o`) for the commands that write a file. */
export const outputFlag = {
  name: 'output',
  short: 'o',
  type: 'string',
  placeholder: 'path',
  isFile: true,
} as const

/** Declares `--seed` for the commands that use random numbers. */
export const seedFlag = { name: 'seed', type: 'int', placeholder: 'n', default: 0 } as const

/** Declares `--format` for the commands that read rows. */
export const formatFlag = {
  name: 'format',
  type: 'string',
  placeholder: 'format',
  shownDefault: 'jsonl',
  oneOf: rowFormats,
} as const

/** Declares the flags for the text format of rows and labels. */
export const textFlags = [
  {
    name: 'delimiter',
    type: 'string',
    placeholder: 'character',
    summary: 'the character between CSV fields; guessed from , ; and tab if not set',
  },
  {
    name: 'encoding',
    type: 'string',
    placeholder: 'label',
    summary: 'the text encoding, such as windows-1252',
    shownDefault: 'utf-8',
  },
  {
    name: 'no-quotes',
    type: 'bool',
    summary: 'take quotes in a table as ordinary characters, as in many .tsv files',
  },
] as const

/** Declares `--rows` and its `--format` for the commands that read the input of a run. `summary` describes `--rows`. */
export const declareRowFlags = (summary: string) =>
  [
    { name: 'rows', type: 'string', placeholder: 'path', summary, isFile: true },
    { ...formatFlag, summary: 'the format of --rows; by the ending (.csv, .txt) if not set' },
  ] as const

/** Declares `--policy` for the commands that apply a policy to answers. */
export const policyFlag = {
  name: 'policy',
  type: 'string',
  placeholder: 'path',
  summary: 'a policy of svc calibrate that decides which answers to accept',
  isFile: true,
} as const

/** Declares `--pin` for the commands that can exit with 8. */
export const pinFlag = {
  name: 'pin',
  type: 'bool',
  summary: 'with --policy, exit with 8 if a model answered that the policy was not made from',
} as const

/** Declares `--overwrite` for the commands whose output may hold the work of people. */
export const overwriteFlag = {
  name: 'overwrite',
  type: 'bool',
  summary: 'replace the file of --output even if it is not empty',
} as const

/** Declares `--no-bom` for the commands that write a table. */
export const noBomFlag = {
  name: 'no-bom',
  type: 'bool',
  summary: 'write the table without the byte order mark, by which spreadsheets know UTF-8',
} as const

/** Declares `--record` for the commands that can save a run as a scenario. */
export const recordFlag = {
  name: 'record',
  type: 'string',
  placeholder: 'folder',
  summary: 'also save the run as a scenario below this folder (svc help fixtures)',
  isFolder: true,
} as const
