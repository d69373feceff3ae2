import * as assert from 'uvu/assert'
import {
  formatGolden,
  listDiffering,
  type ProgramOutcome,
  readGolden,
  writeGolden,
} from '../../lib/replay/golden'
import { root } from '../support/folders'

/** Reads the golden files of a scenario of the project by path. An empty stream has no file. */
export const readProjectGolden = (name: string): Readonly<Record<string, string>> =>
  readGolden(root, name)

/** Fails if an outcome has problems, or if it differs from the golden files of the scenario in any byte. */
export const assertGolden = (name: string, outcome: ProgramOutcome): void => {
  assert.is(outcome.problems.join('\n'), '', 'the exchanges')
  const expected = readProjectGolden(name)
  const received = formatGolden(outcome)
  for (const path of listDiffering(expected, received))
    assert.fixture(received[path] ?? '', expected[path] ?? '', path)
  // A file that is empty on one side and missing on the other passes the comparison above.
  assert.equal(listDiffering(expected, received), [])
}

/** Writes an outcome as golden files. Returns a line for each file that changed. */
export const updateGolden = (name: string, outcome: ProgramOutcome): ReadonlyArray<string> => {
  const before = readProjectGolden(name)
  const after = formatGolden(outcome)
  const changed = listDiffering(before, after)
  if (changed.length > 0) writeGolden(root, name, after)
  return changed.map(
    (path) => `${describeChange(before[path], after[path])} golden/${name}/${path}`,
  )
}

const describeChange = (before: string | undefined, after: string | undefined): string => {
  if (before === undefined) return 'new    '
  return after === undefined ? 'removed' : 'changed'
}
