import { type Flags, seedFlag } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/flags'
import { textFlags } from './flags/shared-flags'

const flags = [
  ...labelFlags,
  ...textFlags,
  {
    name: 'by-id',
    type: 'bool',
    summary: 'pair rows by their id, for two wordings of the questions',
  },
  {
    name: 'max-flips',
    type: 'string',
    value: 'n|n%',
    summary: 'exit 8 when more decisions of a question differ',
  },
  {
    name: 'max-shift',
    type: 'float',
    value: 'x',
    min: 0,
    max: 1,
    summary: 'exit 8 when the mean_shift of a question is above x',
  },
  {
    name: 'significant',
    type: 'float',
    value: 'p',
    exclusiveMin: 0,
    exclusiveMax: 1,
    summary: 'exit 8 when b is worse than a by the labels, and chance does that less often than p',
  },
  { ...seedFlag, summary: 'seed of the draws behind intervals' },
  { name: 'table', type: 'bool', summary: 'print a table for people instead of JSON' },
] as const satisfies Flags

register(
  {
    name: 'compare',
    summary: 'Tell how two runs over the same rows differ, and which is right',
    description: `Pairs the rows of two runs that asked the same questions about the same states and tells, for \
each question, how often they decide alike and how far their probabilities moved. With labels in a it also \
tells what b fixed and broke, and whether chance explains it. It sends nothing and needs no key.`,
    flags,
    positionals: [
      {
        name: 'a',
        summary: 'the run to compare with, such as the model in use; - reads stdin',
        required: true,
        file: true,
      },
      { name: 'b', summary: 'the other run; - reads stdin', required: true, file: true },
    ],
    examples: [
      {
        command: 'svc compare old.jsonl new.jsonl --table',
        note: 'Two models, or the same one a week later.',
      },
      {
        command: 'svc compare a.jsonl b.jsonl --significant 0.05 --max-flips 2%',
        note: 'Exit 8 when b is surely worse, or more than 2 % of decisions differ.',
      },
      {
        command: 'svc compare old.jsonl new.jsonl --by-id',
        note: 'Two wordings of the questions.',
      },
    ],
  },
  async () => (await import('./run/compare')).runCompare,
)
