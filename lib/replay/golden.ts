import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Turn } from './conversation'
import { listFiles } from './scenarios'

// The golden of a scenario is the output that it must have: a folder with the files `stdout`, `stderr`, `exit` and `files/...`.

/** The outcome of a run, with placeholders such as `{base_url}` for values that differ from run to run. */
export interface ProgramOutcome {
  readonly stdout: string
  readonly stderr: string
  readonly exit: number
  /** Files written or changed in the working folder. */
  readonly files: Readonly<Record<string, string>>
  /** The differences from the scenario's exchanges, waits and conversation. */
  readonly problems: ReadonlyArray<string>
  /** The turns of the conversation, with the received lines; `undefined` if the scenario has no conversation. */
  readonly turns?: ReadonlyArray<Turn> | undefined
}

/** Reads the golden files of a scenario below `<root>/golden`, by path. */
export const readGolden = (root: string, name: string): Readonly<Record<string, string>> => {
  const folder = join(root, 'golden', name)
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  return Object.fromEntries(listFiles(folder).map((path) => [path, read(path)]))
}

/** Replaces the golden files of a scenario below `<root>/golden`. */
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

/** Formats an outcome as golden files by path. An empty stream has no file. */
export const formatGolden = (outcome: ProgramOutcome): Readonly<Record<string, string>> => {
  const { stdout, stderr, exit, files } = outcome
  const golden: Record<string, string> = { exit: `${exit}\n` }
  if (stdout !== '') golden.stdout = stdout
  if (stderr !== '') golden.stderr = stderr
  for (const [path, text] of Object.entries(files)) golden[`files/${path}`] = text
  return golden
}

/** Lists the paths of the golden files that differ, sorted. A file that only one side has differs. */
export const listDiffering = (
  expected: Readonly<Record<string, string>>,
  received: Readonly<Record<string, string>>,
): ReadonlyArray<string> =>
  [...new Set([...Object.keys(expected), ...Object.keys(received)])]
    .filter((path) => expected[path] !== received[path])
    .sort()
