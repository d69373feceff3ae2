import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Turn } from './conversation'
import { goldenFolder } from './scenario'

/** What a run left behind, with placeholders for what differs from run to run. */
export interface Outcome {
  readonly stdout: string
  readonly stderr: string
  readonly exit: number
  /** Files written or changed in the working folder. */
  readonly files: Readonly<Record<string, string>>
  /** Everything wrong with the exchanges, the waits or the answers; empty when all was as written. */
  readonly problems: ReadonlyArray<string>
  /** The conversation as it went, where the scenario is one. */
  readonly turns?: ReadonlyArray<Turn> | undefined
}

/** The golden files of a scenario by path; a stream that is empty has none. */
export const expected = (name: string): Readonly<Record<string, string>> => {
  const folder = join(goldenFolder, name)
  if (!existsSync(folder)) return {}
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries.flatMap((entry) => {
      if (!entry.isFile()) return []
      const full = join(entry.parentPath, entry.name)
      return [[full.slice(folder.length + 1), readFileSync(full, 'utf8')]]
    }),
  )
}

/** An outcome as golden files. */
const golden = ({ stdout, stderr, exit, files }: Outcome): Record<string, string> =>
  Object.fromEntries([
    ...(stdout === '' ? [] : [['stdout', stdout]]),
    ...(stderr === '' ? [] : [['stderr', stderr]]),
    ['exit', `${exit}\n`],
    ...Object.entries(files).map(([path, text]) => [`files/${path}`, text]),
  ])

/** Fails unless a run came out byte for byte as its golden files say. */
export const compare = (name: string, outcome: Outcome): void => {
  assert.is(outcome.problems.join('\n'), '', 'the exchanges')
  const want = expected(name)
  const got = golden(outcome)
  for (const path of new Set([...Object.keys(want), ...Object.keys(got)]))
    assert.fixture(got[path] ?? '', want[path] ?? '', path)
}

/** Writes an outcome as golden files and tells which changed. */
export const record = (name: string, outcome: Outcome): ReadonlyArray<string> => {
  const was = expected(name)
  const now = golden(outcome)
  const folder = join(goldenFolder, name)
  for (const path of Object.keys(was)) if (!(path in now)) rmSync(join(folder, path))
  for (const [path, text] of Object.entries(now)) {
    if (was[path] === text) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return [...new Set([...Object.keys(was), ...Object.keys(now)])]
    .filter((path) => was[path] !== now[path])
    .map((path) => {
      const verb = !(path in was) ? 'new    ' : path in now ? 'changed' : 'removed'
      return `${verb} golden/${name}/${path}`
    })
}
