import { register } from '../lib/cli/registry'
import { engineFlags } from './flags/engine-flags'

register(
  {
    name: 'models',
    summary: 'List the models of the account as JSON',
    description:
      'Prints the models that your account can use, as JSON. --table prints names, dates and descriptions.',
    flags: [
      { name: 'table', type: 'bool', summary: 'print a table instead of JSON' },
      ...engineFlags,
    ] as const,
    examples: [{ command: 'svc models --pretty' }, { command: 'svc models --table' }],
    usesNetwork: true,
    unusedGlobals: ['model'],
  },
  async () => (await import('./run/models')).runModels,
)
