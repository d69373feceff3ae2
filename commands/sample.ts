import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/label-flags'
import {
  declareRowFlags,
  noBomFlag,
  outputFlag,
  overwriteFlag,
  runFlag,
  seedFlag,
  textFlags,
} from './flags/shared-flags'

const flags = [
  { ...runFlag, summary: 'the run to draw from; - reads stdin' },
  {
    name: 'size',
    short: 'n',
    type: 'int',
    placeholder: 'n',
    min: 1,
    summary: 'the number of rows to draw',
  },
  {
    name: 'by',
    type: 'string',
    placeholder: 'name',
    default: 'margin',
    summary:
      'how to find uncertain rows: by a small margin, or by repeats and orders that disagree',
    oneOf: ['margin', 'disagree'],
  },
  {
    name: 'for',
    type: 'string',
    placeholder: 'purpose',
    summary: 'review: mostly uncertain rows, 0.3 by chance; measure: every row has the same chance',
    oneOf: ['review', 'measure'],
  },
  {
    name: 'explore',
    type: 'float',
    placeholder: 'share',
    min: 0,
    max: 1,
    summary: 'instead of --for, the share of rows that is drawn by chance from the other rows',
  },
  ...declareRowFlags('the input of the run: add the fields of each row to the sample'),
  ...labelFlags,
  ...textFlags,
  { ...seedFlag, summary: 'the seed for the random draw' },
  {
    ...outputFlag,
    summary: 'write the sample to this file; the ending .csv makes it a table to fill in',
  },
  overwriteFlag,
  noBomFlag,
] as const satisfies Flags

register(
  {
    name: 'sample',
    summary: 'Draw rows of a run for people to label',
    description: `Draws rows of a run for people to label. It sends nothing and needs no key.

To measure (svc eval, svc calibrate), draw with --for measure: every row has the same chance. With --for review most rows are \
the least certain ones. Figures from those are worth fewer rows, and stderr says how many. Each row has its chance in "p", and \
figures weight rows by it, so they are figures of the whole run. With --explore 0 "p" is null, and no figures of the run are \
possible.

Draw once. If you need more labels, draw again with a larger -n, the same --seed and --for, and your table as --labels. The new \
draw has the rows of the old one, with your labels filled in. svc refuses to mix rows of two draws in figures.

With -o to-label.csv you get a table for a spreadsheet. Fill in the columns <question>.label, and pass the file as --labels to svc \
eval, calibrate or compare. Otherwise you get records as JSONL with labels to fill in. A label is true or false (noul), one of the \
labels (choice) or the index of a level (score). An empty cell is not a label. svc does not overwrite a file that is not empty, \
because people's labels may be in it.

Records have states only if the run was made with svc batch --with-state. --rows adds the fields of each row, labels included, \
from the input of the run.`,
    flags,
    examples: [
      {
        command: 'svc sample -i run.jsonl -n 100 --for measure --rows tickets.csv -o to-label.csv',
        note: 'A table of a hundred tickets to label.',
      },
      {
        command: 'svc sample -i run.jsonl -n 50 --for review > to-label.jsonl',
        note: 'Fifty records, most of them uncertain.',
      },
      {
        command: 'svc sample -i run.jsonl -n 50 --by disagree --explore 0.5',
        note: 'From a run with --repeat or --permute.',
      },
    ],
  },
  async () => (await import('./run/sample')).runSample,
)
