import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/label-flags'
import { declareRowFlags, runFlag, seedFlag, textFlags } from './flags/shared-flags'

const flags = [
  runFlag,
  ...labelFlags,
  ...textFlags,
  { name: 'by-group', type: 'bool', summary: 'add the figures of each group' },
  { ...seedFlag, summary: 'the seed for the bootstrap of intervals and for ece_expected' },
  {
    name: 'min',
    type: 'strings',
    placeholder: 'question.figure=x',
    summary: "exit with 8 unless the lower end of the figure's interval reaches x",
  },
  {
    name: 'max',
    type: 'strings',
    placeholder: 'question.figure=x',
    summary: "exit with 8 if the upper end of the figure's interval is above x",
  },
  { name: 'table', type: 'bool', summary: 'print a table instead of JSON' },
  {
    name: 'junit',
    type: 'string',
    placeholder: 'path',
    summary: 'also write JUnit XML with a test case for each --min and --max',
    isFile: true,
  },
  {
    name: 'html',
    type: 'string',
    placeholder: 'path',
    summary: 'write a page with diagrams and tables; it loads nothing from the network',
    isFile: true,
  },
  ...declareRowFlags(
    'the input of the run: with --html, show the texts of the most confident errors',
  ),
  {
    name: 'with-state',
    type: 'bool',
    summary: 'with --html, show those texts from the states of svc batch --with-state',
  },
] as const satisfies Flags

register(
  {
    name: 'eval',
    summary: 'Measure how accurate and how well calibrated the answers of a run are',
    description: `Compares the answers of a run with its labels, and prints figures with 95 % intervals as JSON. It sends nothing and \
needs no key.

Labels are the right answers, as a person sees them. svc batch --label copies them from the rows, and svc sample draws rows for \
you to label. A figure that has no meaning for the rows is null, and "why" says why.

Shares of rows, such as accuracy, have Wilson intervals. Other figures have bootstrap intervals: rows are drawn again with \
replacement, in whole groups if the records have groups, because the tickets of one customer, for example, are alike. A figure has no \
interval if it would not be valid: with fewer than 30 rows or 30 groups for the bootstrap, with fewer than ten groups for shares, and \
for rankings of rows with different weights. "n_effective" is the number of independent rows that your rows are worth, if they \
have groups or different weights.

--table and --html show how many rows need no person if 80, 90, 95 or 98 % of the answers must be right. They use the \
probabilities as they came. svc calibrate corrects the probabilities first, so it may accept more or fewer rows: trust its policy.`,
    flags,
    examples: [
      {
        command: 'svc eval -i run.jsonl --table',
        note: 'The figures of each question, as a table.',
      },
      {
        command: 'svc eval -i run.jsonl --min billing.accuracy=0.9',
        note: 'Exit with 8 unless the interval of accuracy begins at 0.9 or above.',
      },
      {
        command: 'svc eval -i run.jsonl --html report.html --rows tickets.csv',
        note: 'A page with diagrams, and the texts of the most confident errors.',
      },
    ],
  },
  async () => (await import('./run/eval')).runEval,
)
