import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { declareRowFlags, pinFlag, policyFlag, runFlag, textFlags } from './flags/shared-flags'

const flags = [
  { ...runFlag, summary: 'the run to check; - reads stdin' },
  {
    name: 'require',
    type: 'strings',
    placeholder: 'expr',
    summary: 'a condition that every answered row must meet',
  },
  { ...policyFlag, summary: 'a policy of svc calibrate, whose outcomes conditions can use' },
  pinFlag,
  {
    name: 'allow',
    type: 'string',
    placeholder: 'n|n%',
    summary: 'tolerate n failed rows, or n % of all rows',
  },
  { name: 'allow-errors', type: 'bool', summary: 'tolerate rows that were not answered' },
  { name: 'all', type: 'bool', summary: 'list every failed row, not only the first 100' },
  {
    name: 'junit',
    type: 'string',
    placeholder: 'path',
    isFile: true,
    summary: 'also write JUnit XML with a test case for each row',
  },
  ...declareRowFlags('the input of the run: show the text of each failed row in the reports'),
  ...textFlags,
  { name: 'table', type: 'bool', summary: 'print tables instead of JSON' },
] as const satisfies Flags

register(
  {
    name: 'gate',
    summary: 'Check a run against requirements, and exit with 8 if it fails',
    description: `Reads a run of svc batch, or the output of svc ask, and reports which rows do not meet your requirements. It needs \
no key and no network.

A requirement compares fields of answers: billing.noul >= 0.8, tone.choice in ["calm", "neutral"], urgency.level <= 1, \
tone.probabilities["angry"] < 0.2 or tone.margin > 0.5. Noul questions have noul. Choice questions have choice; score questions \
have score and level (the most likely level). Both have confidence, probabilities, top (the largest probability) and margin (the \
lead of the largest probability over the second). Join conditions with and, or and not, and use parentheses. Put texts in \
double quotes, as in JSON, or in single quotes, which have no escapes. Quote question ids with other characters than letters, \
digits, _ and -: ["a.b"].noul > 0.5.

With --policy every answer also has outcome ("accept" or "review") and calibrated: the corrected probability of a yes, or \
calibrated["angry"] of a label. A refused answer has neither. svc refuses a policy that was made from other questions than the \
run's. Output of svc ask does not say what was asked, so this is not checked there.

A row fails if it lacks a value or if its answer was refused. A row that was not answered fails unless you pass --allow-errors. \
A run in which no row can be judged fails.

With --junit each row is a test case that passes, fails, or is skipped if --allow or --allow-errors tolerates it. The report \
therefore fails if and only if the exit code is 8. If GITHUB_STEP_SUMMARY is set, the tables are also appended to that file. \
With --rows both show the first 200 characters of each failed row.

Exits with 0 if the gate holds, 8 if it does not, and 1 if svc cannot judge the run.`,
    flags,
    examples: [
      {
        command: `svc gate -i run.jsonl --require 'billing.noul >= 0.8'`,
        note: 'Every row must be about billing with at least 80 %.',
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
        note: 'Check one answer, from a pipe.',
      },
    ],
  },
  async () => (await import('./run/gate')).runGate,
)
