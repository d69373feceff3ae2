import { register } from '../lib/cli/registry'

register(
  {
    name: 'version',
    summary: 'Print build information as JSON',
    description: 'Prints version, commit and origin of this build as JSON. Makes no network call.',
    flags: [],
    examples: [{ command: 'svc version --pretty' }],
  },
  () => import('./version-run'),
)
