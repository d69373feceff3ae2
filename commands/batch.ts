import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { engineFlags } from './flags/engine-flags'
import {
  formatFlag,
  outputFlag,
  overwriteFlag,
  pinFlag,
  policyFlag,
  recordFlag,
  textFlags,
} from './flags/shared-flags'
import { permuteFlag, questionFlags } from './request/flag-declarations'

const flags = [
  {
    name: 'file',
    short: 'f',
    type: 'string',
    placeholder: 'path',
    summary: 'request JSON file without a state; - reads stdin',
    isFile: true,
    endings: ['.json'],
  },
  ...questionFlags,
  {
    name: 'input',
    short: 'i',
    type: 'string',
    placeholder: 'path',
    default: '-',
    summary: 'the rows; - reads stdin',
    isFile: true,
    endings: ['.jsonl', '.csv', '.tsv', '.txt'],
  },
  { ...formatFlag, summary: 'the format of the rows; by the ending (.csv, .txt) if not set' },
  ...textFlags,
  { ...outputFlag, summary: 'the file for the records; stdout if not set' },
  recordFlag,
  {
    name: 'state-field',
    type: 'string',
    placeholder: 'name',
    summary: 'the field with the state; the whole row if not set',
  },
  {
    name: 'id-field',
    type: 'string',
    placeholder: 'name',
    summary: 'the field with the id of the row',
  },
  {
    name: 'group-field',
    type: 'string',
    placeholder: 'name',
    summary: 'the field with the group of the row',
  },
  {
    name: 'label',
    type: 'strings',
    placeholder: 'question=field',
    summary: 'the field with the right answer to a question; it is never sent',
  },
  {
    name: 'image-field',
    type: 'strings',
    placeholder: 'name',
    summary: 'a field with the path of an image; questions name the image by it (svc help images)',
  },
  {
    name: 'follow-links',
    type: 'bool',
    summary: 'also read images outside the folder of the rows',
  },
  { name: 'with-state', type: 'bool', summary: 'write the states into the records' },
  {
    name: 'require',
    type: 'strings',
    placeholder: 'expr',
    summary: 'exit with 8 if a row does not meet this condition (svc help gate)',
  },
  policyFlag,
  pinFlag,
  {
    name: 'concurrency',
    type: 'int',
    placeholder: 'n',
    default: 8,
    min: 1,
    max: 256,
    summary: 'the number of rows asked about at the same time, 1 to 256',
  },
  {
    name: 'reuse',
    type: 'strings',
    placeholder: 'run',
    isFile: true,
    summary: 'reuse the answers of an earlier run, of any model',
  },
  {
    name: 'reuse-where',
    type: 'strings',
    placeholder: 'expr',
    summary: 'with --reuse, reuse only answers that meet this condition (svc help gate)',
  },
  {
    name: 'price',
    type: 'string',
    placeholder: 'input[/output]',
    summary: 'the price of a million tokens, to report the cost',
  },
  {
    name: 'max-cost',
    type: 'float',
    placeholder: 'x',
    exclusiveMin: 0,
    summary: 'with --price, start no new row after the run has cost this much',
  },
  {
    name: 'pack',
    type: 'int',
    placeholder: 'n',
    min: 2,
    max: 400,
    summary: 'ask about n rows in one request, 2 to 400, after a check (svc help batches)',
  },
  {
    name: 'pack-check',
    type: 'int',
    placeholder: 'n',
    default: 200,
    min: 0,
    summary: 'with --pack, also ask about the first n rows alone, and compare; 0 for no check',
  },
  {
    name: 'max-flips',
    type: 'string',
    placeholder: 'n%',
    default: '5%',
    summary: 'with --pack, stop if more than n% of the decisions may differ',
  },
  {
    name: 'rpm',
    type: 'int',
    placeholder: 'n',
    min: 1,
    summary: 'the maximum number of attempts per minute, spaced evenly',
  },
  {
    name: 'resume',
    type: 'bool',
    summary: 'continue a run after the records in the output',
  },
  overwriteFlag,
  {
    name: 'retry-errors',
    type: 'bool',
    summary: 'with --resume, ask again about the rows that failed',
  },
  {
    name: 'keep-going',
    type: 'bool',
    summary:
      'continue without credit, after 20 equal failures at the start, and if --reuse fits no row',
  },
  { name: 'fail-fast', type: 'bool', summary: 'stop after the first row that fails' },
  {
    name: 'limit',
    type: 'int',
    placeholder: 'n',
    min: 0,
    summary: 'ask only about the first n rows',
  },
  {
    name: 'shard',
    type: 'string',
    placeholder: 'i/n',
    summary: 'ask only about part i of n parts of the rows',
  },
  { name: 'repeat', type: 'int', placeholder: 'n', min: 1, summary: 'ask about each row n times' },
  permuteFlag,
  {
    name: 'dry-run',
    type: 'bool',
    summary: 'check every row and count what would be sent, without sending it',
  },
  ...engineFlags,
] as const satisfies Flags

register(
  {
    name: 'batch',
    summary: 'Ask typed questions about many rows, and write a record for each',
    description: `Asks the same questions about every row of an input, and writes a record (a line of JSON) for each row, in the order \
of the input. A record has the index of the row, digests of state and questions, and the answers or the error. Write the questions as \
for svc ask, but without a state: the state is the row, or one field of the row.

Rows are JSON lines, CSV with a header, or plain lines. If a row cannot be read, its record has an error with the line number, \
and the run continues. Memory does not grow with the input.

If the service asks svc to wait, all requests wait, and half as many run at the same time. You can continue an interrupted \
run with --resume: rows that were answered are never asked about again. A run locks its output against a second run on the \
same machine.

--reuse takes the answers of an earlier run for rows and questions that have not changed, without sending them. --price \
reports the cost of the tokens. --max-cost stops starting new rows after that cost; continue with --resume.

--pack asks about many rows in one request: a service that limits requests then answers that many more rows, and the fixed part of \
a prompt is paid once. Before that, svc asks the first rows in both ways. If decisions differ too often, it stops with exit code 8.

With --policy each record ends with the result of a policy of svc calibrate: for each question the outcome (accept or review) \
and the calibrated probabilities. The policy must be made from the same questions.

With --output stdout has a summary, otherwise the records. --dry-run needs no key. It estimates the input tokens as bytes \
divided by 4, rounded up.

The exit code is that of the first row that failed, otherwise 8 if a requirement is not met or packs differ. An auth failure stops the run, \
with exit code 3.`,
    flags,
    examples: [
      {
        command: `svc batch -f questions.json -i tickets.jsonl -o run.jsonl`,
        note: 'Ask about every ticket of a file.',
      },
      {
        command: `svc batch -f questions.json -i tickets.jsonl -o run.jsonl --resume --retry-errors`,
        note: 'Continue that run, and ask again about what failed.',
      },
      {
        command: `svc batch -i tickets.csv --state-field text --id-field id --noul 'billing=Is this about a bill?'`,
        note: 'Ask about one column of a CSV file, with ids.',
      },
      {
        command: `svc batch -f questions.json -i cases.csv -o run.jsonl --label billing=is_billing --require 'billing.noul > 0.5'`,
        note: 'Test labelled cases: each must meet a condition.',
      },
      {
        command: `svc batch -f questions.json -i tickets.jsonl -o part-2.jsonl --shard 2/8`,
        note: 'Ask about the second of eight parts.',
      },
      {
        command: `svc batch -f questions.json -i tickets.jsonl -o run.jsonl --pack 32`,
        note: 'Ask about 32 rows in each request, if that gives the same answers.',
      },
      {
        command: `svc batch -f questions.json -i tickets.jsonl --dry-run`,
        note: 'See how much it would send. Needs no API key.',
      },
    ],
    usesNetwork: true,
    // Leaves time to write the records of answered rows.
    graceMs: 2000,
  },
  async () => (await import('./run/batch')).runBatch,
)
