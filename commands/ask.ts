import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { engineFlags } from './flags/engine-flags'
import { pinFlag, policyFlag, recordFlag } from './flags/shared-flags'
import { permuteFlag, questionFlags } from './request/flag-declarations'

const flags = [
  {
    name: 'file',
    short: 'f',
    type: 'string',
    placeholder: 'path',
    summary: 'request JSON file; - or omitted reads stdin',
    isFile: true,
    endings: ['.json'],
  },
  {
    name: 'state',
    type: 'string',
    placeholder: 'text',
    summary: 'state text, @<path> to read a file, or - for stdin',
    takesAtFile: true,
  },
  {
    name: 'state-json',
    type: 'string',
    placeholder: 'json',
    summary: 'like --state, but the text is JSON',
    takesAtFile: true,
  },
  {
    name: 'questions',
    type: 'string',
    placeholder: 'path',
    summary: 'a request JSON file without a state, as for svc batch -f; - reads stdin',
    isFile: true,
    endings: ['.json'],
  },
  {
    name: 'image',
    type: 'strings',
    placeholder: 'name=path',
    summary: 'a PNG, JPEG or WebP file that the questions can name (svc help images)',
  },
  ...questionFlags,
  recordFlag,
  { name: 'raw', type: 'bool', summary: 'print the server response body unchanged' },
  { name: 'table', type: 'bool', summary: 'print the answers as a table instead of JSON' },
  {
    name: 'get',
    type: 'strings',
    placeholder: 'path',
    summary: 'print only this value, such as tone.choice (svc help requirements)',
  },
  {
    name: 'require',
    type: 'strings',
    placeholder: 'expr',
    summary: 'exit with 8 if the answers do not meet this condition (svc help gate)',
  },
  policyFlag,
  pinFlag,
  permuteFlag,
  { name: 'dry-run', type: 'bool', summary: 'print the request without sending it' },
  ...engineFlags,
] as const satisfies Flags

register(
  {
    name: 'ask',
    summary: 'Ask typed questions about a state and print the answers as JSON',
    description: `Asks questions about a state in one request, and prints the answers as JSON. Write the request as a \
JSON document, in a file or on stdin, or put it together from --state and the question flags.

A noul question asks for the probability of a yes, a choice question for one of its labels, and a score question for a \
position between its lowest and its highest level.

With --policy the output also has "policy": for each question the outcome (accept or review) and the calibrated \
probabilities. The policy must be made from the same questions. If it was made from another model, stderr says so.`,
    flags,
    examples: [
      { command: 'svc ask -f request.json --pretty', note: 'A request document from a file.' },
      {
        command: `svc ask --state @ticket.txt --noul 'billing=Is this about a bill?'`,
        note: 'A yes/no question about the text of a file.',
      },
      {
        command: `svc ask --state - --choice 'tone=What is the tone?:calm,angry,neutral' < ticket.txt`,
        note: 'One label out of three, about the text on stdin.',
      },
      {
        command: `svc ask --state 'Fix it now.' --score 'urgency=How urgent is it?:low|middle|high'`,
        note: 'A position on a scale of three levels.',
      },
      {
        command: `svc ask -f request.json --policy policy.json --require 'billing.outcome == "accept"'`,
        note: 'Exit with 8 if the policy sends this answer to a person.',
      },
      {
        command: 'svc ask --questions questions.json --state @ticket.txt --get billing.noul',
        note: 'The questions of a batch about one text, and only one number of the answers.',
      },
      {
        command: 'svc ask -f request.json --table',
        note: 'The answers as a table, with a bar for each.',
      },
      {
        command: 'svc ask -f request.json --dry-run',
        note: 'The request that svc would send. Needs no API key.',
      },
    ],
    usesNetwork: true,
  },
  async () => (await import('./run/ask')).runAsk,
)
