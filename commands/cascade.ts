import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/label-flags'
import { outputFlag, overwriteFlag } from './flags/shared-flags'

const flags = [
  {
    name: 'margin',
    type: 'float',
    placeholder: 'x',
    exclusiveMin: 0,
    exclusiveMax: 1,
    summary: 'the accuracy that you are willing to lose, such as 0.02',
  },
  {
    name: 'confidence',
    type: 'float',
    placeholder: 'x',
    default: 0.95,
    exclusiveMin: 0.5,
    exclusiveMax: 1,
    summary: 'the required confidence that no more accuracy is lost',
  },
  ...labelFlags,
  {
    name: 'price-a',
    type: 'string',
    placeholder: 'in[/out]',
    summary: 'the price of a million tokens of a; with --price-b, each point has its cost',
  },
  {
    name: 'price-b',
    type: 'string',
    placeholder: 'in[/out]',
    summary: 'the price of a million tokens of b',
  },
  { name: 'table', type: 'bool', summary: 'print sentences and tables instead of JSON' },
  {
    name: 'html',
    type: 'string',
    placeholder: 'path',
    summary: 'write a page with the cost curve and its table; it loads nothing from the network',
    isFile: true,
  },
  { ...outputFlag, summary: 'write the policy to this file; its outcome "review" means: ask b' },
  overwriteFlag,
] as const satisfies Flags

register(
  {
    name: 'cascade',
    summary: 'Ask a cheap model first, and an expensive one when it is unsure',
    description: `Finds out when the answers of a cheap model can replace those of an expensive one. Give it two runs over the \
same rows: a of the cheap model, b of the expensive one. It sends nothing and needs no key.

An answer of a counts if its largest probability reaches the cut; otherwise b is asked. Labels prove the cut: with the given \
confidence, accuracy falls by at most --margin compared with asking b about every row. Without enough labels there is no cut, \
and "needs" says how many labels it takes if the answers of a are no worse.

"points" are the tested thresholds, beginning with b only. Each has the share of rows for b, the accuracy and the cost. Draw \
the rows to label with svc sample --for measure. Do not reuse labels by which you chose a wording, a map or a model.

-o writes a policy. svc batch --policy gives the answers of a an outcome. svc batch --reuse with --reuse-where then keeps the \
accepted answers and asks b about the other rows.`,
    flags,
    positionals: [
      {
        name: 'a',
        summary: 'the run of the cheap model; - reads stdin',
        required: true,
        isFile: true,
      },
      {
        name: 'b',
        summary: 'the run of the expensive model; - reads stdin',
        required: true,
        isFile: true,
      },
    ],
    examples: [
      {
        command: 'svc cascade cheap.jsonl dear.jsonl --margin 0.02 --labels to-label.csv --table',
        note: 'Which answers of the cheap model are good enough.',
      },
      {
        command:
          'svc cascade cheap.jsonl dear.jsonl --margin 0.02 --labels to-label.csv --price-a 0.1 --price-b 2/8 -o policy.json',
        note: 'The same with costs, as a policy.',
      },
      {
        command:
          'svc cascade cheap.jsonl dear.jsonl --margin 0.02 --labels to-label.csv --html cascade.html',
        note: 'The curve of cost and accuracy, as a page.',
      },
    ],
  },
  async () => (await import('./run/cascade')).runCascade,
)
