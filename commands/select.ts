import { type Flags, outputFlag } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { declareRowFlags, runFlag, textFlags } from './flags/shared-flags'

const flags = [
  { ...runFlag, summary: 'the run to select from; - reads stdin' },
  {
    name: 'where',
    type: 'strings',
    value: 'expr',
    summary: 'keep the rows for which this condition holds; of several all must',
  },
  { name: 'errors', type: 'bool', summary: 'keep the rows that were not answered' },
  ...declareRowFlags('put the rows themselves beside their answers; the input of the run'),
  ...textFlags,
  { ...outputFlag, summary: 'write to this file; one that ends in .csv becomes a table' },
  {
    name: 'overwrite',
    type: 'bool',
    summary: 'replace the file of --output even if it is not empty',
  },
  {
    name: 'no-bom',
    type: 'bool',
    summary:
      'write a table to --output without the byte order mark by which spreadsheets know UTF-8',
  },
  {
    name: 'to',
    type: 'string',
    value: 'form',
    summary: 'write records, or a table for a spreadsheet; by the ending of --output unless given',
    defaultText: 'jsonl',
    oneOf: ['jsonl', 'csv'],
  },
] as const satisfies Flags

register(
  {
    name: 'select',
    summary: 'Take rows out of a run, as records or as a table',
    description: `Prints the records of a run for which conditions hold, as they are or as a CSV table. It sends nothing and \
needs no key. Conditions are written as for svc gate (svc help requirements); not (…) keeps the others. A row that lacks a value of \
a condition is kept by neither, and counted on stderr. --errors keeps rows that were not answered, beside those of --where.

A table has the columns of the input if --rows gives it (else index, id and group), and for each question its answer \
(P(yes), the label or the score), the decision in words (<question>.decision), the largest probability (<question>.top), what \
a policy says (<question>.calibrated and .outcome), and the label if any row has one. A column of the input that has one of \
these names gets input. in front. Cells that a spreadsheet would run as formulas get a leading '. A file that is not empty is not overwritten, since people may have worked in it.`,
    flags,
    examples: [
      {
        command: `svc select -i run.jsonl --where 'billing.outcome == "review"' --rows tickets.csv -o review.csv`,
        note: 'The tickets that a person must see, as a table.',
      },
      {
        command: "svc select -i run.jsonl --where 'tone.top < 0.6' --errors > unsure.jsonl",
        note: 'Records with an unsure answer, or none.',
      },
    ],
  },
  async () => (await import('./run/select')).runSelect,
)
