import { type Flags, outputFlag, seedFlag } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/flags'
import { methods } from '../lib/measure/statistics/fits/method'
import { runFlag } from '../lib/runs/record/source'

const flags = [
  { ...runFlag, summary: 'the run with labels; - reads stdin' },
  ...labelFlags,
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
    above: 0.5,
    below: 1,
    summary: 'how sure it must be that the target is reached',
  },
  {
    name: 'method',
    type: 'string',
    value: 'name',
    default: 'auto',
    summary: 'how probabilities are corrected; platt and isotonic are for noul questions alone',
    oneOf: ['auto', ...methods],
  },
  { ...seedFlag, summary: 'seed of the folds that methods are compared by' },
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

/** The flags of `svc calibrate`. */
export type CalibrateFlags = typeof flags

register(
  {
    name: 'calibrate',
    summary: 'Find out from labels which answers to accept, and correct their probabilities',
    description: `Reads a run with labels and prints a policy: for each question a map that corrects its \
probabilities, and a cut from which on answers are accepted. It sends nothing and needs no key.

A cut is not the one that looks best in the sample. Ten candidates are tested from the strictest on, \
each by the lower bound of its figure at --confidence; where none holds, the policy has no cut, says how \
many rows it would take, and sends every answer to review.

Maps are compared by their log loss on rows that they were not fitted to; probabilities stay as they are \
unless a map is surely better.`,
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
