import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import {
  declareRowFlags,
  noBomFlag,
  outputFlag,
  overwriteFlag,
  runFlag,
  textFlags,
} from './flags/shared-flags'

const flags = [
  { ...runFlag, summary: 'the run to select from; - reads stdin' },
  {
    name: 'where',
    type: 'strings',
    placeholder: 'expr',
    summary: 'select the rows that meet this condition; of several conditions, all',
  },
  { name: 'errors', type: 'bool', summary: 'also select the rows that were not answered' },
  ...declareRowFlags('the input of the run: add the fields of each row to the output'),
  ...textFlags,
  { ...outputFlag, summary: 'write to this file; the ending .csv makes it a table' },
  overwriteFlag,
  noBomFlag,
  {
    name: 'to',
    type: 'string',
    placeholder: 'form',
    summary: 'write records or a table; by the ending of --output if not set',
    shownDefault: 'jsonl',
    oneOf: ['jsonl', 'csv'],
  },
] as const satisfies Flags

register(
  {
    name: 'select',
    summary: 'Select rows of a run, as records or as a table',
    description: `Prints the records of a run that meet conditions, unchanged or as a CSV table. It sends nothing and needs no key. Write \
conditions as for svc gate (svc help requirements); not (…) selects the other rows. A row that lacks a value of a condition is not \
selected by either, and is counted on stderr. --errors selects the rows that were not answered, in addition to those of --where.

A table has the columns of the input with --rows, otherwise index, id and group. For each question it has the answer (P(yes), the \
label or the score), the decision in words (<question>.decision), the largest probability (<question>.top), the result of a policy \
(<question>.calibrated and .outcome), and the label if any row has one. A column of the input with one of these names gets the \
prefix "input.". Cells that a spreadsheet would run as formulas get a leading '. svc does not overwrite a file that is not empty, \
because people may have worked in it.`,
    flags,
    examples: [
      {
        command: `svc select -i run.jsonl --where 'billing.outcome == "review"' --rows tickets.csv -o review.csv`,
        note: 'The tickets that a person must see, as a table.',
      },
      {
        command: "svc select -i run.jsonl --where 'tone.top < 0.6' --errors > unsure.jsonl",
        note: 'The records with an uncertain answer, or without an answer.',
      },
    ],
  },
  async () => (await import('./run/select')).runSelect,
)
