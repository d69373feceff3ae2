import type { Declaration } from '../lib/cli/declaration'

/** `svc version`. */
export const versionCommand = {
  name: 'version',
  summary: 'Print build information as JSON',
  description: 'Prints version, commit and origin of this build as JSON. Makes no network call.',
  flags: [],
  examples: [{ command: 'svc version --pretty' }],
} as const satisfies Declaration
