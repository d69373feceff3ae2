import { register } from './registry'

register({
  name: 'version',
  summary: 'Print build information as JSON',
  description: 'Prints version, commit and origin of this build as JSON. Makes no network call.',
  flags: [],
  examples: [{ command: 'svc version --pretty' }],
  load: async () => ({
    run:
      ({ build, globals }) =>
      async () => {
        const stdout = JSON.stringify(build, null, globals.pretty ? 2 : undefined)
        return { _tag: 'Right', right: { stdout } }
      },
  }),
})
