import { type Flags, outputFlag, seedFlag } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/flags'
import { declareRowFlags, runFlag, textFlags } from './flags/shared-flags'

const flags = [
  { ...runFlag, summary: 'the run to draw from; - reads stdin' },
  { name: 'size', short: 'n', type: 'int', value: 'n', min: 1, summary: 'how many rows to draw' },
  {
    name: 'by',
    type: 'string',
    value: 'name',
    default: 'margin',
    summary: 'what makes a row uncertain: a small margin, or repeats and orders that disagree',
    oneOf: ['margin', 'disagree'],
  },
  {
    name: 'for',
    type: 'string',
    value: 'purpose',
    summary: 'review: mostly unsure rows, 0.3 by chance; measure: every row has the same chance',
    oneOf: ['review', 'measure'],
  },
  {
    name: 'explore',
    type: 'float',
    value: 'share',
    min: 0,
    max: 1,
    summary: 'in place of --for, the share of rows that is drawn by chance from all others',
  },
  ...declareRowFlags('put the rows themselves behind their records; the input of the run'),
  ...labelFlags,
  ...textFlags,
  { ...seedFlag, summary: 'seed of that chance' },
  {
    ...outputFlag,
    summary: 'write the sample to this file; one that ends in .csv is a table to fill in',
  },
  {
    name: 'overwrite',
    type: 'bool',
    summary: 'replace the file of --output even if it is not empty',
  },
  {
    name: 'no-bom',
    type: 'bool',
    summary: 'write the table without the byte order mark by which spreadsheets know UTF-8',
  },
] as const satisfies Flags

register(
  {
    name: 'sample',
    summary: 'Draw the rows of a run that a person should look at',
    description: `Draws rows of a run for people to label. It sends nothing and needs no key.

For figures (svc eval, svc calibrate) draw with --for measure: every row has the same chance. With --for review \
most rows are the least certain ones; figures from them are worth fewer rows, which stderr tells. \
Each row says in "p" which chance it had, and figures weight by it, so that they are those of the whole run; with \
--explore 0 "p" is null, and nothing can be said of the run.

Draw once. If you need more labels, draw again with a larger -n, the same --seed and --for, and --labels with the table \
that you have: the new draw holds the old one, and the labels that you know are filled in. Figures refuse rows of two draws.

With -o to-label.csv it writes a table for a spreadsheet: fill in the columns <question>.label and give the file to --labels of svc \
eval, calibrate or compare. Otherwise it prints records as JSONL with labels to fill in. Labels are true or false (noul), a \
label (choice) or a level's index (score); what is left empty stays unlabelled. A file that is not empty is not overwritten, since people's labels may be in it. Records hold no states unless the run kept \
them: --rows takes them from the run's input, as its rows are, labels included.`,
    flags,
    examples: [
      {
        command: 'svc sample -i run.jsonl -n 100 --for measure --rows tickets.csv -o to-label.csv',
        note: 'A table of a hundred tickets to label.',
      },
      {
        command: 'svc sample -i run.jsonl -n 50 --for review > to-label.jsonl',
        note: 'Fifty records, most of them unsure.',
      },
      {
        command: 'svc sample -i run.jsonl -n 50 --by disagree --explore 0.5',
        note: 'From a run with --repeat or --permute.',
      },
    ],
  },
  async () => (await import('./run/sample')).runSample,
)
