import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import {
  formatGolden,
  listDiffering,
  type ProgramOutcome,
  readGolden,
} from '../../lib/replay/golden'
import { root } from '../support/folders'
import { goldenFolder } from './scenario'

/** The golden files of a scenario by path; a stream that is empty has none. */
export const expected = (name: string): Readonly<Record<string, string>> => readGolden(root, name)

/** Fails unless a run came out byte for byte as its golden files say. */
export const compare = (name: string, outcome: ProgramOutcome): void => {
  assert.is(outcome.problems.join('\n'), '', 'the exchanges')
  const want = expected(name)
  const got = formatGolden(outcome)
  for (const path of new Set([...Object.keys(want), ...Object.keys(got)]))
    assert.fixture(got[path] ?? '', want[path] ?? '', path)
  // An empty file counts as another outcome than none.
  assert.equal(listDiffering(want, got), [])
}

/** Writes an outcome as golden files and tells which changed. */
export const record = (name: string, outcome: ProgramOutcome): ReadonlyArray<string> => {
  const was = expected(name)
  const now = formatGolden(outcome)
  const folder = join(goldenFolder, name)
  for (const path of Object.keys(was)) if (!(path in now)) rmSync(join(folder, path))
  for (const [path, text] of Object.entries(now)) {
    if (was[path] === text) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return listDiffering(was, now).map((path) => {
    const verb = !(path in was) ? 'new    ' : path in now ? 'changed' : 'removed'
    return `${verb} golden/${name}/${path}`
  })
}
