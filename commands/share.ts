import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/label-flags'
import { runFlag, textFlags } from './flags/shared-flags'

const flags = [
  runFlag,
  ...labelFlags,
  ...textFlags,
  {
    name: 'min',
    type: 'strings',
    placeholder: 'question.label=x',
    summary: 'exit with 8 unless the lower end of the interval reaches x',
  },
  {
    name: 'max',
    type: 'strings',
    placeholder: 'question.label=x',
    summary: 'exit with 8 if the upper end of the interval is above x',
  },
  { name: 'table', type: 'bool', summary: 'print sentences instead of JSON' },
  {
    name: 'plan',
    type: 'bool',
    summary: 'print how many rows to label, for shares that are off by at most --within',
  },
  {
    name: 'within',
    type: 'float',
    placeholder: 'x',
    exclusiveMin: 0,
    exclusiveMax: 1,
    summary: 'with --plan, how far a share may be off, such as 0.03',
  },
] as const satisfies Flags

register(
  {
    name: 'share',
    summary: 'Estimate the share of rows with each answer, with an interval',
    description: `Estimates for each question the share of each answer in all rows of a run, with an interval: 27 % are about billing, \
with an interval from 24 to 30 %. It sends nothing and needs no key.

Answers cover every row but may be wrong. Labels are right but few. svc share combines both: the labels of the rows that svc sample \
drew, and the answers for the other rows. Good answers make the interval narrow, useless answers do no harm, and answers that lean to \
one side are corrected.

Draw the rows with svc sample --for measure, label them with svc label, and pass the table as --labels. Rows that failed or were \
refused are counted as "unanswered", and are not part of the shares. Each label is estimated by itself, so shares need not \
sum to 1.

--plan tells you before you label how many rows you need, in three cases: at best, if the answers are calibrated, and if they \
are useless.`,
    flags,
    examples: [
      {
        command: 'svc share run.jsonl --labels to-label.csv --table',
        note: 'The shares in sentences.',
      },
      {
        command: 'svc share run.jsonl --labels to-label.csv --max billing.yes=0.3',
        note: 'Exit with 8 unless the interval of that share ends at 30 % or below.',
      },
      {
        command: 'svc share run.jsonl --plan --within 0.03 --table',
        note: 'How many rows to label for shares that are off by at most 3 points.',
      },
    ],
  },
  async () => (await import('./run/share')).runShare,
)
