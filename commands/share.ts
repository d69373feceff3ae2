import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/flags'
import { runFlag, textFlags } from './flags/shared-flags'

const flags = [
  runFlag,
  ...labelFlags,
  ...textFlags,
  {
    name: 'min',
    type: 'strings',
    value: 'question.label=x',
    summary: 'exit 8 unless the share is surely x or more',
  },
  {
    name: 'max',
    type: 'strings',
    value: 'question.label=x',
    summary: 'exit 8 unless the share is surely x or less',
  },
  { name: 'table', type: 'bool', summary: 'print sentences for people instead of JSON' },
  {
    name: 'plan',
    type: 'bool',
    summary: 'say how many rows to label, for shares known to within --within',
  },
  {
    name: 'within',
    type: 'float',
    value: 'x',
    exclusiveMin: 0,
    exclusiveMax: 1,
    summary: 'with --plan, how far a share may be off, such as 0.03',
  },
] as const satisfies Flags

register(
  {
    name: 'share',
    summary: 'Say which share of all rows is what, with an interval',
    description: `Estimates for each question which share of all rows of a run is what: 27 % are about billing, surely 24 to 30 %. \
It sends nothing and needs no key.

The answers cover every row but may be wrong; labels are right but few. svc share joins both: it takes the labels of the rows \
that svc sample drew, and the answers tell it about the others. Good answers make the interval narrow, useless ones do no \
harm, and answers that lean to one side are corrected.

Draw the rows with svc sample --for measure, label them with svc label, and give the table to --labels. Rows that failed or \
were refused are counted as "unanswered"; nothing is said of them. Each label is estimated by itself, so shares need not \
sum to 1.

--plan says before anybody labels how many rows it takes: at best, if the answers are calibrated, and if they are of no use.`,
    flags,
    examples: [
      {
        command: 'svc share run.jsonl --labels to-label.csv --table',
        note: 'In words.',
      },
      {
        command: 'svc share run.jsonl --labels to-label.csv --max billing.yes=0.3',
        note: 'Exit 8 unless surely at most 30 % are about billing.',
      },
      {
        command: 'svc share run.jsonl --plan --within 0.03 --table',
        note: 'How many rows to label for shares that are off by 3 points at most.',
      },
    ],
  },
  async () => (await import('./run/share')).runShare,
)
