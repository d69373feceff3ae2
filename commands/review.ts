import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { engineFlags } from './flags/engine-flags'

const flags = [
  {
    name: 'units',
    type: 'string',
    placeholder: 'path',
    default: 'svc-review.json',
    isFile: true,
    endings: ['.json'],
    summary: 'config file; paths inside resolve relative to it',
  },
  {
    name: 'only',
    type: 'string',
    placeholder: 'unit',
    default: '',
    summary: 'run a single unit by name',
  },
  {
    name: 'report',
    type: 'string',
    placeholder: 'path',
    default: 'svc-review-report.json',
    isFile: true,
    summary: 'where the JSON report is written',
  },
  {
    name: 'json',
    type: 'bool',
    summary: 'print the report JSON on stdout instead of the Markdown summary',
  },
  {
    name: 'junit',
    type: 'string',
    placeholder: 'path',
    isFile: true,
    summary: 'also write the report as JUnit XML',
  },
  {
    name: 'min-cover',
    type: 'float',
    placeholder: 'x',
    default: 0.6,
    min: 0,
    max: 1,
    summary: 'flag a behavior whose coverage is below this',
  },
  {
    name: 'max-contradict',
    type: 'float',
    placeholder: 'x',
    default: 0.4,
    min: 0,
    max: 1,
    summary: 'flag a unit whose contradiction is above this',
  },
  {
    name: 'min-thorough',
    type: 'float',
    placeholder: 'x',
    default: 2,
    // Thoroughness is a score of four levels, from 0 to 3.
    min: 0,
    max: 3,
    summary: 'flag a unit whose thoroughness is below this',
  },
  {
    name: 'max-state-bytes',
    type: 'int',
    placeholder: 'n',
    default: 100000,
    min: 1,
    summary: 'byte cap for implementation and tests together; each gets half',
  },
  {
    name: 'unit-timeout',
    type: 'duration',
    default: '2m0s',
    isNonNegative: true,
    summary: "time allowed for one unit's call; 0 means no limit",
  },
  {
    name: 'concurrency',
    type: 'int',
    placeholder: 'n',
    default: 4,
    min: 1,
    summary: 'units that run at the same time',
  },
  {
    name: 'follow-links',
    type: 'bool',
    summary: "also read files to which links lead out of the configuration's folder",
  },
  {
    name: 'dry-run',
    type: 'bool',
    summary: 'check configuration, headings and files, and show sizes, without a call',
  },
  ...engineFlags,
] as const satisfies Flags

register(
  {
    name: 'review',
    summary: 'Review tests and implementation against a spec',
    description: `Reviews each unit of a configuration file in one call: do its tests exercise the listed behaviors of a spec section, \
and does its implementation contradict that section? Prints probabilities, and flags those beyond the thresholds. A unit with a \
flag that is not accepted fails.

It does not find bugs, review style, check security or verify correctness. Readings can differ between runs on the same input.

Exits with 0 if nothing is flagged, with 8 if a unit fails, and with the code of the first failed call if there is one. The \
report is written whenever units ran.`,
    flags,
    examples: [
      { command: 'svc review', note: 'Every unit of svc-review.json.' },
      { command: 'svc review --dry-run', note: 'What would be sent, in sizes. Needs no API key.' },
      { command: 'svc review --only auth --json', note: 'One unit, as JSON.' },
      {
        command: 'svc review --junit review.xml --min-cover 0.7',
        note: 'A stricter threshold, and test results for a CI system.',
      },
    ],
    usesNetwork: true,
    // Leaves time to write the report on the reviewed units.
    graceMs: 2000,
  },
  async () => (await import('./run/review')).runReview,
)

const initFlags = [
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
    flags: initFlags,
    examples: [
      { command: 'svc review init', note: 'Writes svc-review.json.' },
      { command: 'svc review init --units ci/review.json', note: 'Writes another file.' },
    ],
  },
  async () => (await import('./run/init')).runReviewInit,
)
