import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { declareRowFlags, pinFlag, policyFlag, runFlag, textFlags } from './flags/shared-flags'

const flags = [
  { ...runFlag, summary: 'the run to judge; - reads stdin' },
  {
    name: 'require',
    type: 'strings',
    value: 'expr',
    summary: 'a condition that every answered row must meet',
  },
  { ...policyFlag, summary: 'let conditions use the outcomes of a policy of svc calibrate' },
  pinFlag,
  {
    name: 'allow',
    type: 'string',
    value: 'n|n%',
    summary: 'tolerate so many failed rows, or such a share of all rows',
  },
  { name: 'allow-errors', type: 'bool', summary: 'do not fail for rows that were not answered' },
  { name: 'all', type: 'bool', summary: 'list every failed row, not only the first 100' },
  {
    name: 'junit',
    type: 'string',
    value: 'path',
    file: true,
    summary: 'also write a test case for each row as JUnit XML',
  },
  ...declareRowFlags('show the text of each failed row in the reports; the input of the run'),
  ...textFlags,
  { name: 'table', type: 'bool', summary: 'print tables for people instead of JSON' },
] as const satisfies Flags

register(
  {
    name: 'gate',
    summary: 'Judge a run by requirements and exit with 8 where they are not met',
    description: `Reads a run that svc batch wrote, or the output of svc ask, and tells which rows do not \
meet the requirements. Needs no key and no network.

A requirement compares fields of answers: billing.noul >= 0.8, tone.choice in ["calm", "neutral"], \
urgency.level <= 1, tone.probabilities["angry"] < 0.2 or tone.margin > 0.5. Noul questions have noul; choice \
questions choice, score questions score and level (the most likely), and both of them confidence, probabilities, \
top (the largest probability) and margin (how far it is above the second). Conditions are joined by and, or and \
not, with parentheses. Texts stand in double quotes, as in JSON, or in single quotes, as they are; so do question \
ids other than letters, digits, _ and -: ["a.b"].noul > 0.5.

With a policy of svc calibrate every type has outcome ("accept" or "review") and calibrated: the corrected \
probability of a yes, or calibrated["angry"] of a label. A refused answer has neither. It must have been made from the questions of the run.

A row that lacks a value, or whose answer was refused, does not pass; nor does a run of which no row can be judged. Rows that were not answered fail the gate unless --allow-errors is given.

A policy of other questions than the run's is refused. Documents of svc ask do not tell what they asked, so that for \
them --policy is taken as it is.

With --junit each row is a test case: it passes, fails, or is skipped if --allow or --allow-errors tolerates it, so that \
the report fails if and only if the exit code is 8. If GITHUB_STEP_SUMMARY is set, the tables are appended to that file. \
--rows shows the first 200 characters of each failed row in both.

Exits with 0 when the gate holds, 8 when it does not, 1 when it cannot be told.`,
    flags,
    examples: [
      {
        command: `svc gate -i run.jsonl --require 'billing.noul >= 0.8'`,
        note: 'Every row must be a billing matter with at least 80 %.',
      },
      {
        command: `svc gate -i run.jsonl --require 'tone.choice != "angry"' --allow 2%`,
        note: 'Up to 2 of 100 rows may be angry.',
      },
      {
        command: `svc gate -i run.jsonl --policy policy.json --require 'tone.outcome == "accept"' --allow 20%`,
        note: 'At most a fifth of the rows may need a person.',
      },
      {
        command: `svc ask -f request.json | svc gate --require 'urgency.level <= 1'`,
        note: 'One answer, from a pipe.',
      },
    ],
  },
  async () => (await import('./run/gate')).runGate,
)
