import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { permuteFlag, questionFlags } from '../lib/client/ask/declared-questions'
import { pinFlag, policyFlag } from './flags/shared-flags'

const flags = [
  {
    name: 'file',
    short: 'f',
    type: 'string',
    value: 'path',
    summary: 'request JSON file; - or omitted reads stdin',
    file: true,
    endings: ['.json'],
  },
  {
    name: 'state',
    type: 'string',
    value: 'text',
    summary: 'state text, @<path> to read a file, or - for stdin',
    fileAfterAt: true,
  },
  {
    name: 'image',
    type: 'strings',
    value: 'name=path',
    summary: 'a PNG, JPEG or WebP file that the questions can name (svc help images)',
  },
  ...questionFlags,
  {
    name: 'record',
    type: 'string',
    value: 'folder',
    summary: 'also write the run as a scenario below this folder (svc help fixtures)',
    folder: true,
  },
  { name: 'raw', type: 'bool', summary: 'print the server response body unchanged' },
  {
    name: 'table',
    type: 'bool',
    summary: 'print a line for each answer, for people, instead of JSON',
  },
  {
    name: 'require',
    type: 'strings',
    value: 'expr',
    summary: 'exit with 8 where the answers do not meet a condition (svc help gate)',
  },
  policyFlag,
  pinFlag,
  permuteFlag,
  {
    name: 'dry-run',
    type: 'bool',
    summary: 'print the request that would be sent, and send nothing',
  },
] as const satisfies Flags

register(
  {
    name: 'ask',
    summary: 'Ask typed questions about a state and print the answers as JSON',
    description: `Sends one request and prints the response as JSON. The request is a JSON document from a file or \
from stdin, or is put together from --state and the question flags.

A noul question asks for the probability of a yes, a choice question for one of its labels, a \
score question for a place between its lowest and its highest level.

With --policy the document ends with "policy": for each of its questions the outcome, accept or review, and the \
calibrated probabilities. It must have been made from the same questions; where another model answers, stderr says so.`,
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
        note: 'A place on a scale of three levels.',
      },
      {
        command: `svc ask -f request.json --policy policy.json --require 'billing.outcome == "accept"'`,
        note: 'The answers, and 8 where the policy sends this one to a person.',
      },
      {
        command: 'svc ask -f request.json --table',
        note: 'The answers for people: a line and a bar for each.',
      },
      {
        command: 'svc ask -f request.json --dry-run',
        note: 'The request as it would be sent. Needs no API key.',
      },
    ],
    network: true,
  },
  async () => (await import('./run/ask')).runAsk,
)
