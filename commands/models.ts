import type { Declaration } from '../lib/cli/declaration'

/** `svc models`. */
export const modelsCommand = {
  name: 'models',
  summary: 'List the models of the account as JSON',
  description: 'Prints the models that the account can use as JSON.',
  flags: [],
  examples: [{ command: 'svc models --pretty' }],
  network: true,
} as const satisfies Declaration
