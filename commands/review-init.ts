import { register } from './registry'

register({
  name: 'review init',
  summary: 'Write a starter configuration for svc review',
  description:
    'Writes a configuration file with one example unit and prints where. An existing file is never overwritten.',
  flags: [
    {
      name: 'units',
      type: 'string',
      value: 'path',
      default: 'svc-review.json',
      file: true,
      summary: 'the path to write',
    },
  ],
  examples: [
    { command: 'svc review init', note: 'Writes svc-review.json.' },
    { command: 'svc review init --units ci/review.json', note: 'Writes another file.' },
  ],
  load: async () => {
    const { init } = await import('../lib/review/init')
    return { run: init }
  },
})
