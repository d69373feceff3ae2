import { register } from './registry'

register({
  name: 'version',
  summary: 'Print build information as JSON',
  description: 'Prints version, commit and origin of this build as JSON. Makes no network call.',
  flags: [],
  examples: [{ command: 'svc version --pretty' }],
  load: () => import('./version-run'),
})
