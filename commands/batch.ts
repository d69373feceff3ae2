import { type Flags, outputFlag } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { permuteFlag, questionFlags } from '../lib/client/ask/declared-questions'
import { formatFlag, pinFlag, policyFlag, textFlags } from './flags/shared-flags'

const flags = [
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
  {
    name: 'image-field',
    type: 'strings',
    value: 'name',
    summary: 'a field with the path of an image, whose name it is (svc help images)',
  },
  {
    name: 'follow-links',
    type: 'bool',
    summary: 'read images outside the folder of the rows too',
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
    min: 1,
    max: 256,
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
    exclusiveMin: 0,
    summary: 'with --price, start no new row once the run has cost this',
  },
  { name: 'rpm', type: 'int', value: 'n', min: 1, summary: 'attempts a minute, spaced evenly' },
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
  { name: 'limit', type: 'int', value: 'n', min: 0, summary: 'only the first n rows' },
  {
    name: 'shard',
    type: 'string',
    value: 'i/n',
    summary: 'only part i of n parts of the rows',
  },
  { name: 'repeat', type: 'int', value: 'n', min: 1, summary: 'ask each row n times' },
  permuteFlag,
  {
    name: 'dry-run',
    type: 'bool',
    summary: 'read and check every row, count what would be sent, and send nothing',
  },
] as const satisfies Flags

register(
  {
    name: 'batch',
    summary: 'Ask typed questions about many rows, one record each',
    description: `Asks the same questions about every row of an input and writes one line of JSON for each, \
in the order of the input: its index, what it was asked, and the answers or the error. The questions come as \
for svc ask, but without a state: the state is the row, or one field of it.

Rows are JSON lines, CSV with a header, or plain lines. A row that cannot be read becomes a record with an \
error that names its line, and the run goes on. Memory does not grow with the input.

A wait that the service asks for holds back all requests and halves how many run at the same time. An \
interrupted or killed run goes on with --resume where it stopped: what was answered is never asked again. A run \
locks its output with the file <output>.lock, so that no second run writes it.

With --reuse the answers that an earlier run holds are taken for rows and questions that have not changed, and \
nothing is sent about them. --price tells what the tokens cost, and --max-cost starts no new row once the run has \
cost so much; --resume then goes on.

With --policy each record ends with what a policy of svc calibrate makes of its answers: for each of its questions \
the outcome, accept or review, and the calibrated probabilities. It must have been made from the same questions.

With --output stdout is a summary; without it stdout is the records. --dry-run needs no key; its \
estimated_input_tokens are bytes divided by 4, rounded up.

Exits with the code of the first row that failed, else with 8 where a requirement is not met. An auth failure \
stops the run and ends with 3.`,
    flags,
    examples: [
      {
        command: `svc batch -f questions.json -i tickets.jsonl -o run.jsonl`,
        note: 'Every ticket of a file.',
      },
      {
        command: `svc batch -f questions.json -i tickets.jsonl -o run.jsonl --resume --retry-errors`,
        note: 'Where that run stopped, and what failed again.',
      },
      {
        command: `svc batch -i tickets.csv --state-field text --id-field id --noul 'billing=Is this about a bill?'`,
        note: 'One column of a CSV file, with ids.',
      },
      {
        command: `svc batch -f questions.json -i cases.csv -o run.jsonl --label billing=is_billing --require 'billing.noul > 0.5'`,
        note: 'Labelled cases, and a condition that each must meet.',
      },
      {
        command: `svc batch -f questions.json -i tickets.jsonl -o part-2.jsonl --shard 2/8`,
        note: 'The second of eight parts.',
      },
      {
        command: `svc batch -f questions.json -i tickets.jsonl --dry-run`,
        note: 'What it would come to. Needs no API key.',
      },
    ],
    network: true,
    graceMs: 2000,
  },
  async () => (await import('./run/batch')).runBatch,
)
