import { formats } from '../lib/batch/format'
import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { runFlag } from '../lib/run/source'

const flags = [
  { ...runFlag, summary: 'the run to draw from; - reads stdin' },
  { name: 'size', short: 'n', type: 'int', value: 'n', least: 1, summary: 'how many rows to draw' },
  {
    name: 'by',
    type: 'string',
    value: 'name',
    default: 'margin',
    summary: 'what makes a row uncertain: a small margin, or repeats and orders that disagree',
    oneOf: ['margin', 'disagree'],
  },
  {
    name: 'explore',
    type: 'float',
    value: 'share',
    default: 0.3,
    least: 0,
    most: 1,
    summary: 'the share of rows that is drawn by chance from all others',
  },
  {
    name: 'rows',
    type: 'string',
    value: 'path',
    summary: 'put the rows themselves behind their records; the input of the run',
    file: true,
  },
  {
    name: 'format',
    type: 'string',
    value: 'format',
    summary: 'how those are written; by the ending (.csv, .txt) where not given',
    defaultText: 'jsonl',
    oneOf: formats,
  },
  { name: 'seed', type: 'int', value: 'n', default: 0, summary: 'seed of that chance' },
] as const satisfies Flags

/** The flags of `svc sample`. */
export type SampleFlags = typeof flags

register(
  {
    name: 'sample',
    summary: 'Draw the rows of a run that a person should look at',
    description: `Prints records of a run as JSONL with labels to fill in: the least certain rows, and some \
drawn by chance from all others. It sends nothing and needs no key.

Each record says in "p" which chance it had to be drawn; svc eval and svc calibrate weight by it, so that \
figures from the sample are figures of the whole run. Fill in true or false (noul), a label (choice) or a \
level's index (score); null stays unlabelled. Records hold no states unless the run kept them: --rows takes them from \
the run's input, as its rows are, labels included.`,
    flags,
    examples: [
      { command: 'svc sample -i run.jsonl -n 50 > to-label.jsonl', note: 'Fifty rows to label.' },
      {
        command: 'svc sample -i run.jsonl -n 50 --rows tickets.jsonl > to-label.jsonl',
        note: 'The same with the tickets beside their answers.',
      },
      {
        command: 'svc sample -i run.jsonl -n 50 --by disagree --explore 0.5',
        note: 'From a run with --repeat or --permute.',
      },
    ],
  },
  () => import('./sample-run'),
)
