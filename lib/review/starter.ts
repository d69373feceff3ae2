import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import { print } from '../json/draft'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'

const mode = 0o644

/** The configuration that `svc review init` writes. spec: Review configuration file, starter file */
const starter = {
  description:
    'Each unit is judged in one call: do its tests exercise the listed behaviors of one section ' +
    'of the spec, and does its implementation contradict that section? Paths start at the folder ' +
    'of this file. spec_heading is a heading line of the spec file, exactly as it stands there. ' +
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

/**
 * Writes the starter configuration to a new file. Fails with a usage error, also where the file exists. spec:
 * `svc review init`
 */
export const writeStarter = (files: Files, path: string): TE.TaskEither<Failure, void> =>
  pipe(
    TE.tryCatch(
      () => files.create(path, `${print(starter, true)}\n`, mode),
      (error) =>
        codeOf(error) === 'EEXIST'
          ? usage(`${path} already exists; remove it or pass --units`)
          : usage(`write ${path}: ${reasonOf(error)}`),
    ),
  )
