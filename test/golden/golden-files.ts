import * as assert from 'uvu/assert'
import {
  formatGolden,
  listDiffering,
  type ProgramOutcome,
  readGolden,
  writeGolden,
} from '../../lib/replay/golden'
import { root } from '../support/folders'

/**
 * Reads the golden files of a scenario of the project, by path. They are its expected output and exit code. An empty stream has no
 * file.
 */
export const readProjectGolden = (name: string): Readonly<Record<string, string>> =>
  readGolden(root, name)

/**
 * Fails if an outcome differs from the golden files of the scenario in any byte. Also fails if the outcome has problems, such as a
 * request that the scenario does not expect.
 */
export const assertGolden = (name: string, outcome: ProgramOutcome): void => {
  assert.is(outcome.problems.join('\n'), '', 'the exchanges')
  const expected = readProjectGolden(name)
  const received = formatGolden(outcome)
  // A missing file is compared as an empty text.
  for (const path of listDiffering(expected, received))
    assert.fixture(received[path] ?? '', expected[path] ?? '', path)
  // A file that is empty on one side and missing on the other passes the comparison above.
  assert.equal(listDiffering(expected, received), [])
}

/** Writes an outcome as golden files. Returns a line for each file that changed. */
export const updateGolden = (name: string, outcome: ProgramOutcome): ReadonlyArray<string> => {
  const oldFiles = readProjectGolden(name)
  const newFiles = formatGolden(outcome)
  const changedPaths = listDiffering(oldFiles, newFiles)
  if (changedPaths.length > 0) writeGolden(root, name, newFiles)
  return changedPaths.map(
    (path) => `${describeChange(oldFiles[path], newFiles[path])} golden/${name}/${path}`,
  )
}

/** Returns a word for the change, padded so that the paths after it are aligned. */
const describeChange = (oldText: string | undefined, newText: string | undefined): string => {
  if (oldText === undefined) return 'new    '
  return newText === undefined ? 'removed' : 'changed'
}
