import { register } from '../lib/cli/registry'
import { engineFlags } from './flags/engine-flags'

register(
  {
    name: 'models',
    summary: 'List the models of the account as JSON',
    description: 'Prints the models that your account can use, as JSON.',
    flags: engineFlags,
    examples: [{ command: 'svc models --pretty' }],
    usesNetwork: true,
    unusedGlobals: ['model'],
  },
  async () => (await import('./run/models')).runModels,
)
