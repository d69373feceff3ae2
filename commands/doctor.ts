import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { engineFlags } from './flags/engine-flags'

const flags = [
  { name: 'ask', type: 'bool', summary: 'also ask one small question, and show the answer' },
  { name: 'offline', type: 'bool', summary: 'make no call' },
  { name: 'table', type: 'bool', summary: 'print a table instead of JSON' },
  ...engineFlags,
] as const satisfies Flags

register(
  {
    name: 'doctor',
    summary: 'See where calls go and why, and try one',
    description: `Shows which service svc would ask, in which dialect, at which address, for which model and with which key. Each \
setting names the flag or variable it comes from. Of the key you see only the name of its variable.

Then svc doctor lists the models once. It shows the result and how long the call took, and what to do if it failed. It also sends \
a document without questions to the address for questions, which costs nothing: a service that lists models may not answer questions there. \
With --ask it asks one small question instead, which a service may charge for.`,
    flags,
    examples: [
      { command: 'svc doctor --table', note: 'As a table.' },
      { command: 'svc doctor --ask --table', note: 'With a question and its answer.' },
      { command: 'svc doctor --provider ollama --offline', note: 'The settings, without a call.' },
    ],
    usesNetwork: true,
  },
  async () => (await import('./run/doctor')).runDoctor,
)
