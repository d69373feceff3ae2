import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/label-flags'
import { seedFlag, textFlags } from './flags/shared-flags'

const flags = [
  ...labelFlags,
  ...textFlags,
  {
    name: 'unpaired',
    type: 'bool',
    summary: 'compare how often each decision comes, in runs whose rows are not the same',
  },
  {
    name: 'by-id',
    type: 'bool',
    summary: 'pair rows by their id, to compare two wordings of the questions',
  },
  {
    name: 'max-flips',
    type: 'string',
    placeholder: 'n|n%',
    summary: 'exit with 8 if more than n, or n %, of the decisions of a question differ',
  },
  {
    name: 'max-shift',
    type: 'float',
    placeholder: 'x',
    min: 0,
    max: 1,
    summary:
      "exit with 8 if a question's probabilities differ by more than x on average (mean_shift); with --unpaired, its decisions (shift)",
  },
  {
    name: 'significant',
    type: 'float',
    placeholder: 'p',
    exclusiveMin: 0,
    exclusiveMax: 1,
    summary:
      'exit with 8 if the labels show that b is worse than a, with a p-value below p; with --unpaired, if a decision has become rarer or more frequent',
  },
  {
    name: 'margin',
    type: 'float',
    placeholder: 'x',
    min: 0,
    exclusiveMax: 1,
    summary:
      'exit with 8 unless the labels show, with 95 % confidence, that b loses at most x of accuracy, such as 0.02; too few labels fail',
  },
  { ...seedFlag, summary: 'the seed for the bootstrap of intervals' },
  { name: 'table', type: 'bool', summary: 'print a table instead of JSON' },
] as const satisfies Flags

register(
  {
    name: 'compare',
    summary: 'Compare two runs over the same rows, and see which is right',
    description: `Compares two runs that asked the same questions about the same states. For each question you see how often the runs \
decide alike, and how far their probabilities moved. If a has labels, you also see how right both runs are, what b fixed and broke, \
and whether that could be chance. svc compare sends nothing and needs no key.

With --unpaired, the rows of a and b need not be the same, and no labels are needed: compare the answer logs of two weeks (svc serve \
--log-answers). For each question you see how often each decision came before and now, with the interval of the difference, and p: how \
likely such a change is if nothing has changed.`,
    flags,
    positionals: [
      {
        name: 'a',
        summary: 'the run to compare with, such as the model in use; - reads stdin',
        required: true,
        isFile: true,
      },
      { name: 'b', summary: 'the other run; - reads stdin', required: true, isFile: true },
    ],
    examples: [
      {
        command: 'svc compare old.jsonl new.jsonl --table',
        note: 'Two models, or one model a week later.',
      },
      {
        command: 'svc compare a.jsonl b.jsonl --significant 0.05 --max-flips 2%',
        note: 'Exit with 8 if b is significantly worse, or if more than 2 % of decisions differ.',
      },
      {
        command: 'svc compare a.jsonl b.jsonl --margin 0.02',
        note: 'Exit with 8 unless the labels show that b is at most 2 points less right than a.',
      },
      {
        command: 'svc compare --unpaired last-week.jsonl this-week.jsonl --significant 0.01',
        note: 'Exit with 8 if the answers in production have changed.',
      },
      {
        command: 'svc compare old.jsonl new.jsonl --by-id',
        note: 'Two wordings of the questions.',
      },
    ],
  },
  async () => (await import('./run/compare')).runCompare,
)
