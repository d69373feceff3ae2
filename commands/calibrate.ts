import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/label-flags'
import { calibrationMethods } from '../lib/runs/policy/policy'
import { outputFlag, overwriteFlag, runFlag, seedFlag, textFlags } from './flags/shared-flags'

const flags = [
  { ...runFlag, summary: 'the run with labels; - reads stdin' },
  ...labelFlags,
  ...textFlags,
  {
    name: 'target',
    type: 'strings',
    placeholder: '[question:]figure=x',
    summary:
      'what accepted answers must reach: accuracy, coverage, or for noul precision or recall',
  },
  {
    name: 'confidence',
    type: 'float',
    placeholder: 'x',
    default: 0.95,
    exclusiveMin: 0.5,
    exclusiveMax: 1,
    summary: 'the required confidence that the target is reached',
  },
  {
    name: 'method',
    type: 'string',
    placeholder: 'name',
    default: 'auto',
    summary:
      'how to correct probabilities: platt is for noul questions, temperature for all others',
    oneOf: ['auto', ...calibrationMethods],
  },
  { ...seedFlag, summary: 'the seed for the folds of cross-validation' },
  {
    name: 'table',
    type: 'bool',
    summary: 'print a table of what each cut accepts instead of JSON',
  },
  {
    name: 'plan',
    type: 'bool',
    summary: 'read no run: print how many rows to label for --target at --confidence',
    skipsInput: true,
  },
  { ...outputFlag, summary: 'also write the policy to this file' },
  overwriteFlag,
] as const satisfies Flags

register(
  {
    name: 'calibrate',
    summary: 'Learn from labels which answers to accept, and correct their probabilities',
    description: `Reads a run with labels and prints a policy. For each question the policy has a map, which corrects the \
probabilities, and a cut, which is a threshold: answers at or above it are accepted. svc calibrate sends nothing and needs no key.

A cut is not just the threshold that looks best in the sample. svc fixes ten candidates for it (a hundred for recall) and tests them from the strictest \
on (for recall from the loosest), each by the lower bound of its figure (such as its accuracy) at --confidence. If none reaches the target, the policy has no cut and sends every answer \
to review. "why" then says which lower target holds today, and how many more rows to label for yours. Shares of rows are those \
of the whole run if svc sample drew the labelled rows.

A map is judged by its log loss on rows that it was not fitted to. Without a clear gain the probabilities stay as they are. A cut is \
chosen with the map that the policy has, so that the policy accepts what is reported.`,
    flags,
    examples: [
      {
        command: 'svc calibrate -i run.jsonl --target precision=0.95 -o policy.json',
        note: 'Accept a yes only if 95 % of the accepted ones are right.',
      },
      {
        command: 'svc calibrate -i run.jsonl --target accuracy=0.9 --target urgency:coverage=0.8',
        note: 'One target for all questions that it fits, and another for one question.',
      },
      {
        command: 'svc calibrate --plan --target accuracy=0.9 --table',
        note: 'How many rows you need to label.',
      },
    ],
  },
  async () => (await import('./run/calibrate')).runCalibrate,
)
