import { type Flags, outputFlag } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/flags'

const flags = [
  {
    name: 'margin',
    type: 'float',
    value: 'x',
    exclusiveMin: 0,
    exclusiveMax: 1,
    summary: 'how much accuracy may be lost, such as 0.02',
  },
  {
    name: 'confidence',
    type: 'float',
    value: 'x',
    default: 0.95,
    exclusiveMin: 0.5,
    exclusiveMax: 1,
    summary: 'how sure the proof must be',
  },
  ...labelFlags,
  {
    name: 'price-a',
    type: 'string',
    value: 'in[/out]',
    summary: 'what a million tokens of a cost; with --price-b, each point says its cost',
  },
  {
    name: 'price-b',
    type: 'string',
    value: 'in[/out]',
    summary: 'what a million tokens of b cost',
  },
  { name: 'table', type: 'bool', summary: 'print sentences and tables for people instead of JSON' },
  {
    name: 'html',
    type: 'string',
    value: 'path',
    summary:
      'write a page with the cost curve and its table; nothing in it is loaded from elsewhere',
    file: true,
  },
  { ...outputFlag, summary: 'write the policy to this file; its outcome review means to ask b' },
  { name: 'overwrite', type: 'bool', summary: 'replace the file of --output if it exists' },
] as const satisfies Flags

register(
  {
    name: 'cascade',
    summary: 'Ask a cheap model first, and an expensive one when it is unsure',
    description: `Compares two runs over the same rows, a of a cheap model and b of an expensive one, and finds from which \
probability on the answers of a may stand in for those of b. It sends nothing and needs no key.

The answer of a counts if its largest probability reaches the cut; otherwise b is asked. The cut is proved by labels: with \
the given confidence, accuracy falls by at most --margin against asking b about every row. Without enough labels there is no \
cut, and "needs" says how many labels it takes if nothing gets worse.

"points" are the thresholds that were tested, b only first, each with the share of rows that b is asked, the accuracy, and \
what it costs. Draw the labelled rows with svc sample --for measure, and do not use labels again that chose a wording, a map \
or a model.

-o writes a policy. svc batch --policy gives the answers of a an outcome; svc batch --reuse with --reuse-where keeps those \
that are accepted and asks b about the others.`,
    flags,
    positionals: [
      {
        name: 'a',
        summary: 'the run of the cheap model; - reads stdin',
        required: true,
        file: true,
      },
      {
        name: 'b',
        summary: 'the run of the expensive model; - reads stdin',
        required: true,
        file: true,
      },
    ],
    examples: [
      {
        command: 'svc cascade cheap.jsonl dear.jsonl --margin 0.02 --labels to-label.csv --table',
        note: 'Which answers of the cheap model will do.',
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
