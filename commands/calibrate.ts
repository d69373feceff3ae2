import { type Flags, outputFlag, seedFlag } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/flags'
import { methods } from '../lib/runs/policy/calibration-map'
import { runFlag, textFlags } from './flags/shared-flags'

const flags = [
  { ...runFlag, summary: 'the run with labels; - reads stdin' },
  ...labelFlags,
  ...textFlags,
  {
    name: 'target',
    type: 'strings',
    value: '[question:]figure=x',
    summary: 'what a cut must reach: accuracy or coverage, and for a noul precision or recall too',
  },
  {
    name: 'confidence',
    type: 'float',
    value: 'x',
    default: 0.95,
    exclusiveMin: 0.5,
    exclusiveMax: 1,
    summary: 'how sure it must be that the target is reached',
  },
  {
    name: 'method',
    type: 'string',
    value: 'name',
    default: 'auto',
    summary:
      'how probabilities are corrected: platt is for noul questions, temperature for all others',
    oneOf: ['auto', ...methods],
  },
  { ...seedFlag, summary: 'seed of the folds by which a map is judged' },
  {
    name: 'table',
    type: 'bool',
    summary: 'print what each cut accepts, for people, instead of JSON',
  },
  {
    name: 'plan',
    type: 'bool',
    summary: 'read no run: tell how many rows to label for --target at --confidence',
    withoutInput: true,
  },
  { ...outputFlag, summary: 'write the policy to this file as well' },
] as const satisfies Flags

register(
  {
    name: 'calibrate',
    summary: 'Find out from labels which answers to accept, and correct their probabilities',
    description: `Reads a run with labels and prints a policy: for each question a map that corrects its \
probabilities, and a cut from which on answers are accepted. It sends nothing and needs no key.

A cut is not the one that looks best in the sample. Ten candidates are tested from the strictest on, \
each by the lower bound of its figure at --confidence. If none holds, the policy has no cut and sends every answer to \
review; "why" says which lower target holds today and how many more labelled rows the wanted one takes. Shares of rows are \
those of the whole run if the labelled rows were drawn by svc sample.

A map is judged by its log loss on rows that it was not fitted to; probabilities stay as they are unless it is surely \
better.`,
    flags,
    examples: [
      {
        command: 'svc calibrate -i run.jsonl --target precision=0.95 -o policy.json',
        note: 'Accept a yes where 95 % of them are right.',
      },
      {
        command: 'svc calibrate -i run.jsonl --target accuracy=0.9 --target urgency:coverage=0.8',
        note: 'A target for all questions that it fits, and one of its own for a question.',
      },
      {
        command: 'svc calibrate --plan --target accuracy=0.9 --table',
        note: 'How many rows to label, before anybody labels.',
      },
    ],
  },
  async () => (await import('./run/calibrate')).runCalibrate,
)
