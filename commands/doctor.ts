import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'

const flags = [
  { name: 'ask', type: 'bool', summary: 'ask one small question, too, and show the answer' },
  { name: 'offline', type: 'bool', summary: 'make no call' },
  { name: 'table', type: 'bool', summary: 'print a table instead of JSON' },
] as const satisfies Flags

register(
  {
    name: 'doctor',
    summary: 'Tell where calls would go and why, and try one',
    description: `Prints which service would be asked, in which dialect, at which address, for which model and with which key, \
each with the flag or variable that says so. Then it asks for the list of models once, and tells what came, how long that \
took and what to do about a failure. With --ask it also asks one small question, which a service may charge for. Of a key only the name of its variable is shown.`,
    flags,
    examples: [
      { command: 'svc doctor --table', note: 'For people.' },
      { command: 'svc doctor --ask --table', note: 'With a question and its answer.' },
      { command: 'svc doctor --provider ollama --offline', note: 'Without a call.' },
    ],
    network: true,
  },
  async () => (await import('./run/doctor')).runDoctor,
)
