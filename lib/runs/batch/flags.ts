import { type Flags, outputFlag, type Values } from '../../cli/flags'
import { permuteFlag, questionFlags } from '../../client/ask/declared-questions'
import { pinFlag, policyFlag } from '../policy/policy'
import { formatFlag, textFlags } from '../rows/flags'

/** The flags of `svc batch`. */
export const batchFlags = [
  {
    name: 'file',
    short: 'f',
    type: 'string',
    value: 'path',
    summary: 'request JSON file without a state; - reads stdin',
    file: true,
    endings: ['.json'],
  },
  ...questionFlags,
  {
    name: 'input',
    short: 'i',
    type: 'string',
    value: 'path',
    default: '-',
    summary: 'the rows; - reads stdin',
    file: true,
    endings: ['.jsonl', '.csv', '.tsv', '.txt'],
  },
  { ...formatFlag, summary: 'how rows are written; by the ending (.csv, .txt) if not given' },
  ...textFlags,
  { ...outputFlag, summary: 'where the records go; stdout where not given' },
  {
    name: 'record',
    type: 'string',
    value: 'folder',
    summary: 'also write the run as a scenario below this folder (svc help fixtures)',
    folder: true,
  },
  {
    name: 'state-field',
    type: 'string',
    value: 'name',
    summary: 'the field that is the state; the whole row where not given',
  },
  { name: 'id-field', type: 'string', value: 'name', summary: "the field that is a row's id" },
  {
    name: 'group-field',
    type: 'string',
    value: 'name',
    summary: "the field that is a row's group",
  },
  {
    name: 'label',
    type: 'strings',
    value: 'question=field',
    summary: 'a field that says what is right; it is never sent',
  },
  { name: 'with-state', type: 'bool', summary: 'keep the states in the records' },
  {
    name: 'require',
    type: 'strings',
    value: 'expr',
    summary: 'exit with 8 where a row does not meet a condition (svc help gate)',
  },
  policyFlag,
  pinFlag,
  {
    name: 'concurrency',
    type: 'int',
    value: 'n',
    default: 8,
    least: 1,
    most: 256,
    summary: 'rows asked at the same time, 1 to 256',
  },
  {
    name: 'reuse',
    type: 'strings',
    value: 'run',
    file: true,
    summary: 'take the answers that an earlier run holds, whatever model gave them',
  },
  {
    name: 'reuse-where',
    type: 'strings',
    value: 'expr',
    summary: 'with --reuse, take only answers for which this holds (svc help gate)',
  },
  {
    name: 'price',
    type: 'string',
    value: 'input[/output]',
    summary: 'what a million tokens cost, to tell the cost',
  },
  {
    name: 'max-cost',
    type: 'float',
    value: 'x',
    above: 0,
    summary: 'with --price, start no new row once the run has cost this',
  },
  { name: 'rpm', type: 'int', value: 'n', least: 1, summary: 'attempts a minute, spaced evenly' },
  {
    name: 'resume',
    type: 'bool',
    summary: 'go on after the records that the output holds',
  },
  { name: 'overwrite', type: 'bool', summary: 'replace an output that is not empty' },
  {
    name: 'retry-errors',
    type: 'bool',
    summary: 'with --resume, ask the rows again that failed',
  },
  {
    name: 'keep-going',
    type: 'bool',
    summary:
      'ask on without credit, when the first 20 rows fail alike, and with a --reuse that fits no row',
  },
  { name: 'fail-fast', type: 'bool', summary: 'stop after the first row that fails' },
  { name: 'limit', type: 'int', value: 'n', least: 0, summary: 'only the first n rows' },
  {
    name: 'shard',
    type: 'string',
    value: 'i/n',
    summary: 'only part i of n parts of the rows',
  },
  { name: 'repeat', type: 'int', value: 'n', least: 1, summary: 'ask each row n times' },
  permuteFlag,
  {
    name: 'dry-run',
    type: 'bool',
    summary: 'read and check every row, count what would be sent, and send nothing',
  },
] as const satisfies Flags

/** The values of the flags of `svc batch`. */
export type BatchFlags = Values<typeof batchFlags>
