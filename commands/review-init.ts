import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'

const flags = [
  {
    name: 'units',
    type: 'string',
    placeholder: 'path',
    default: 'svc-review.json',
    isFile: true,
    summary: 'the path to write',
  },
] as const satisfies Flags

register(
  {
    name: 'review init',
    summary: 'Write a starter configuration for svc review',
    description:
      'Writes a configuration file with one example unit, and prints its path. An existing file is never overwritten.',
    flags,
    examples: [
      { command: 'svc review init', note: 'Writes svc-review.json.' },
      { command: 'svc review init --units ci/review.json', note: 'Writes another file.' },
    ],
  },
  async () => (await import('./run/init')).runReviewInit,
)
