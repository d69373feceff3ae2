import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'

const flags = [
  { name: 'offline', type: 'bool', summary: 'make no call' },
  { name: 'table', type: 'bool', summary: 'print a table instead of JSON' },
] as const satisfies Flags

/** The flags of `svc doctor`. */
export type DoctorFlags = typeof flags

register(
  {
    name: 'doctor',
    summary: 'Tell where calls would go and why, and try one',
    description: `Prints which service would be asked, in which dialect, at which address, for which model and with which key, \
each with the flag or variable that says so. Then it asks for the list of models once, and tells what came, how long that \
took and what to do about a failure. Of a key only the name of its variable is shown.`,
    flags,
    examples: [
      { command: 'svc doctor --table', note: 'For people.' },
      { command: 'svc doctor --provider ollama --offline', note: 'Without a call.' },
    ],
    network: true,
  },
  async () => (await import('./run/doctor')).runDoctor,
)
