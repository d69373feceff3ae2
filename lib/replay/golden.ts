import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Turn } from './conversation'
import { listFiles } from './scenarios'

/** What a run left behind, with placeholders for what differs from run to run. */
export interface ProgramOutcome {
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

/** Reads the golden files of a scenario by path, from a folder that holds `golden`. A stream that is empty has none. */
export const readGolden = (root: string, name: string): Readonly<Record<string, string>> => {
  const folder = join(root, 'golden', name)
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  return Object.fromEntries(listFiles(folder).map((path) => [path, read(path)]))
}

/** Replaces the golden files of a scenario below a folder. */
export const writeGolden = (
  root: string,
  name: string,
  texts: Readonly<Record<string, string>>,
): void => {
  const folder = join(root, 'golden', name)
  rmSync(folder, { recursive: true, force: true })
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** An outcome as golden files. */
export const toGolden = ({ stdout, stderr, exit, files }: ProgramOutcome): Record<string, string> =>
  Object.fromEntries([
    ...(stdout === '' ? [] : [['stdout', stdout]]),
    ...(stderr === '' ? [] : [['stderr', stderr]]),
    ['exit', `${exit}\n`],
    ...Object.entries(files).map(([path, text]) => [`files/${path}`, text]),
  ])

/** Names the golden files that an outcome has otherwise, in order. */
export const listDiffering = (
  want: Readonly<Record<string, string>>,
  got: Readonly<Record<string, string>>,
): ReadonlyArray<string> =>
  [...new Set([...Object.keys(want), ...Object.keys(got)])]
    .filter((path) => want[path] !== got[path])
    .sort()
