import { type Flags, seedFlag } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/flags'
import { declareRowFlags, runFlag, textFlags } from './flags/shared-flags'

const flags = [
  runFlag,
  ...labelFlags,
  ...textFlags,
  { name: 'by-group', type: 'bool', summary: 'add the figures of each group' },
  { ...seedFlag, summary: 'seed of the draws behind intervals and ece_expected' },
  {
    name: 'min',
    type: 'strings',
    value: 'question.figure=x',
    summary: "exit 8 unless the lower end of the figure's interval reaches x",
  },
  {
    name: 'max',
    type: 'strings',
    value: 'question.figure=x',
    summary: "exit 8 when the upper end of the figure's interval is above x",
  },
  { name: 'table', type: 'bool', summary: 'print a table for people instead of JSON' },
  {
    name: 'html',
    type: 'string',
    value: 'path',
    summary: 'write a page with diagrams and tables; nothing in it is loaded from elsewhere',
    file: true,
  },
  ...declareRowFlags(
    'with --html, show the texts of the most confident errors; the input of the run',
  ),
  {
    name: 'with-state',
    type: 'bool',
    summary: 'the same, from the states that svc batch --with-state wrote into the run',
  },
] as const satisfies Flags

register(
  {
    name: 'eval',
    summary: 'Measure how right and how calibrated the answers of a run are',
    description: `Compares the answers of a run with its labels and prints figures with 95 % intervals as JSON. It \
sends nothing and needs no key.

Shares of rows, such as accuracy, have Wilson's intervals. For other figures rows are drawn anew (a bootstrap), whole groups \
of them if records have groups, since the tickets of one customer, say, are alike. A figure has no interval if it would not \
hold: below 30 rows or 30 groups for the bootstrap, below ten groups for shares, and for figures of a ranking if rows have \
different weights; "why" says which. "n_effective" is what rows in groups, or of different weights, are worth.

Labels are what a person says is right: svc batch copies them from the rows (--label), and svc sample \
gives rows to fill in. A figure that has no meaning for the rows is null, and "why" says why.

--table and --html say how many rows pass without a person if 80, 90, 95 or 98 % of them must be right. They use the \
probabilities as they came. svc calibrate corrects them first, so that it may accept more or fewer rows: go by its policy.`,
    flags,
    examples: [
      {
        command: 'svc eval -i run.jsonl --table',
        note: 'The figures of each question, as a table.',
      },
      {
        command: 'svc eval -i run.jsonl --min billing.accuracy=0.9',
        note: 'Exit 8 unless accuracy is surely 0.9 or more.',
      },
      {
        command: 'svc eval -i run.jsonl --html report.html --rows tickets.csv',
        note: 'A page with diagrams, and the texts of the most confident errors.',
      },
    ],
  },
  async () => (await import('./run/eval')).runEval,
)
