import { register } from '../lib/cli/registry'

register(
  {
    name: 'models',
    summary: 'List the models of the account as JSON',
    description: 'Prints the models that your account can use, as JSON.',
    flags: [],
    examples: [{ command: 'svc models --pretty' }],
    usesNetwork: true,
    unusedGlobals: ['model'],
  },
  async () => (await import('./run/models')).runModels,
)
