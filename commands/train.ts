import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { labelFlags } from '../lib/measure/labels/label-flags'
import {
  declareRowFlags,
  outputFlag,
  overwriteFlag,
  runFlag,
  seedFlag,
  textFlags,
} from './flags/shared-flags'

const flags = [
  runFlag,
  ...declareRowFlags('the input of the run, with the texts to train on'),
  ...labelFlags,
  ...textFlags,
  {
    name: 'from',
    type: 'string',
    placeholder: 'source',
    summary: 'learn from labels, or from the answers of the run',
    shownDefault: 'labels, if there are any',
    oneOf: ['labels', 'answers'],
  },
  {
    name: 'file',
    short: 'f',
    type: 'string',
    placeholder: 'path',
    summary: 'the questions of the run; any of them can then be asked without the others',
    isFile: true,
    endings: ['.json'],
  },
  { ...outputFlag, summary: 'write the model to this file' },
  {
    name: 'out-of-fold',
    type: 'string',
    placeholder: 'path',
    summary: 'write a run with answers of models that have not seen the row that they answer',
    isFile: true,
  },
  { ...overwriteFlag, summary: 'replace files of --output and --out-of-fold that are not empty' },
  { ...seedFlag, summary: 'the seed for the folds, and for the draw from over 100000 rows' },
  { name: 'table', type: 'bool', summary: 'print sentences instead of JSON' },
] as const satisfies Flags

register(
  {
    name: 'train',
    summary: 'Train a small model of your own from labels or answers',
    description: `Trains a small model from the labels of a run, or from the answers of a larger model, and measures it. It sends \
nothing and needs no key. Ask the model with --provider own --model <file>: it is free, and works offline.

The texts come from --rows, the input of the run, or from the states of svc batch --with-state. Each question needs 30 rows, and a \
label of it 5 rows. A label with fewer gets the probability 0.

The figures are about rows that the model has not seen: the rows are divided into five parts, and the answers for a part come from a \
model that was trained on the other four. Rows of one group and equal texts stay together.

--out-of-fold writes these answers as a run, so that the labels also serve svc eval, calibrate and cascade. Without -f, the model \
answers only the whole set of questions of the run.`,
    flags,
    examples: [
      {
        command:
          'svc train -i run.jsonl --rows tickets.csv --labels to-label.csv -f questions.json -o tickets.model.json --table',
        note: 'A model from the labels in a table.',
      },
      {
        command:
          'svc train -i run.jsonl --rows tickets.csv --from answers -f questions.json -o tickets.model.json',
        note: 'A model from the answers of the run.',
      },
      {
        command:
          'svc batch --provider own --model tickets.model.json -f questions.json -i all.csv -o own.jsonl',
        note: 'Answers of the model.',
      },
    ],
  },
  async () => (await import('./run/train')).runTrain,
)
