import { register } from '../lib/cli/registry'
import { batchFlags } from '../lib/runs/batch/flags'

register(
  {
    name: 'batch',
    summary: 'Ask typed questions about many rows, one record each',
    description: `Asks the same questions about every row of an input and writes one line of JSON for each, \
in the order of the input: its index, what it was asked, and the answers or the error. The questions come as \
for svc ask, but without a state: the state is the row, or one field of it.

Rows are JSON lines, CSV with a header, or plain lines. A row that cannot be read becomes a record with an \
error that names its line, and the run goes on. Memory does not grow with the input.

A wait that the service asks for holds back all requests and halves how many run at the same time. An \
interrupted or killed run goes on with --resume where it stopped: what was answered is never asked again. A run \
locks its output against a second one on the same machine.

With --reuse the answers that an earlier run holds are taken for rows and questions that have not changed, and \
nothing is sent about them. --price tells what the tokens cost, and --max-cost starts no new row once the run has \
cost so much; --resume then goes on.

With --policy each record ends with what a policy of svc calibrate makes of its answers: for each of its questions \
the outcome, accept or review, and the calibrated probabilities. It must have been made from the same questions.

With --output stdout is a summary; without it stdout is the records. --dry-run needs no key; its \
estimated_input_tokens are bytes divided by 4, rounded up.

Exits with the code of the first row that failed, else with 8 where a requirement is not met. An auth failure \
stops the run and ends with 3.`,
    flags: batchFlags,
    examples: [
      {
        command: `svc batch -f questions.json -i tickets.jsonl -o run.jsonl`,
        note: 'Every ticket of a file.',
      },
      {
        command: `svc batch -f questions.json -i tickets.jsonl -o run.jsonl --resume --retry-errors`,
        note: 'Where that run stopped, and what failed again.',
      },
      {
        command: `svc batch -i tickets.csv --state-field text --id-field id --noul 'billing=Is this about a bill?'`,
        note: 'One column of a CSV file, with ids.',
      },
      {
        command: `svc batch -f questions.json -i cases.csv -o run.jsonl --label billing=is_billing --require 'billing.noul > 0.5'`,
        note: 'Labelled cases, and a condition that each must meet.',
      },
      {
        command: `svc batch -f questions.json -i tickets.jsonl -o part-2.jsonl --shard 2/8`,
        note: 'The second of eight parts.',
      },
      {
        command: `svc batch -f questions.json -i tickets.jsonl --dry-run`,
        note: 'What it would come to. Needs no API key.',
      },
    ],
    network: true,
    graceMs: 2000,
  },
  async () => (await import('./run/batch')).runBatch,
)
