import { resolveVersion } from '../lib/cli/build'
import { register } from './registry'

register({
  name: 'version',
  summary: 'Print build information as JSON',
  description: 'Prints version, commit and origin of this build as JSON. Makes no network call.',
  flags: [],
  examples: [{ command: 'svc version --pretty' }],
  load: async () => ({
    run:
      ({ runtime, build, globals }) =>
      async () => {
        const version = resolveVersion(build, runtime.nodeVersion)
        const stdout = JSON.stringify(version, null, globals.pretty ? 2 : undefined)
        return { _tag: 'Right', right: { stdout } }
      },
  }),
})
