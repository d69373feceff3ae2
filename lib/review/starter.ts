import { print } from '../codec/json/draft'

/** The configuration that `svc review init` writes. */
const starter = {
  description:
    'Each unit is reviewed in one call: do its tests exercise the listed behaviors of one section ' +
    'of the spec, and does its implementation contradict that section? Paths are relative to the ' +
    'folder of this file. spec_heading is a heading line of the spec file, exactly as in the file. ' +
    'tests may be empty. accepted names flags that do not fail the unit: the text of a behavior, ' +
    'contradicts_spec, thoroughness or weakest_area. notes are copied to the report. A unit may ' +
    'set a spec of its own.',
  spec: 'docs/spec.md',
  units: [
    {
      name: 'example',
      spec_heading: '## Example',
      implementation: ['src/example.ts'],
      tests: ['test/example.test.ts'],
      behaviors: [
        'rejects an empty name and says which field is wrong',
        'gives up after three attempts',
      ],
      accepted: [],
      notes: [],
    },
  ],
}

/** The text of the starter configuration. */
export const printStarter = (): string => `${print(starter, true)}\n`
