import { join } from 'node:path'
import type { Turn } from './conversation'
import { toLf } from './line-ends'
import { checkNoLink, removeLinkFreeFile, replaceLinkFreeFile } from './link-free-files'
import { readFileInside } from './scenario-paths'
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

/** Reads the golden files of a scenario below `<root>/golden`, by path. Throws if a folder on the way to them is a link. */
export const readGolden = (root: string, name: string): Readonly<Record<string, string>> => {
  checkNoLink(root, `golden/${name}`)
  const folder = join(root, 'golden', name)
  const read = (path: string): string => readFileInside(folder, path).toString()
  return Object.fromEntries(listFiles(folder).map((path) => [path, read(path)]))
}

/**
 * Replaces the golden files of a scenario below `<root>/golden`. Throws a `LinkError` if a folder on the way to a file, or a file, is a
 * link.
 */
export const writeGolden = (
  root: string,
  name: string,
  texts: Readonly<Record<string, string>>,
): void => {
  const folder = `golden/${name}`
  checkNoLink(root, folder)
  for (const path of listFiles(join(root, folder)))
    if (texts[path] === undefined) removeLinkFreeFile(root, `${folder}/${path}`)
  for (const [path, text] of Object.entries(texts))
    replaceLinkFreeFile(root, `${folder}/${path}`, text)
}

/** Removes the golden files of a scenario below `<root>/golden`, and the folders that are then empty. */
export const removeGolden = (root: string, name: string): void => writeGolden(root, name, {})

/** Formats an outcome as golden files by path. An empty stream has no file. */
export const formatGolden = (outcome: ProgramOutcome): Readonly<Record<string, string>> => {
  const { stdout, stderr, exit, files } = outcome
  const golden: Record<string, string> = { exit: `${exit}\n` }
  if (stdout !== '') golden.stdout = stdout
  if (stderr !== '') golden.stderr = stderr
  for (const [path, text] of Object.entries(files)) golden[`files/${path}`] = text
  return golden
}

/**
 * Lists the paths of the golden files that differ, sorted. A file that only one side has differs. A golden that has only CRLF line ends
 * may be a checkout of one with LF, so it is also compared as that.
 */
export const listDiffering = (
  expected: Readonly<Record<string, string>>,
  received: Readonly<Record<string, string>>,
): ReadonlyArray<string> =>
  [...new Set([...Object.keys(expected), ...Object.keys(received)])]
    .filter((path) => !isSameText(expected[path], received[path]))
    .sort()

const isSameText = (expected: string | undefined, received: string | undefined): boolean =>
  expected === received ||
  (expected !== undefined && toLf(Buffer.from(expected)).toString() === received)

/** The first line in which a golden file differs from what the program wrote. */
export type LineDifference = {
  readonly file: string
  /** The number of the line, from 1. */
  readonly line: number
  /** The line of the golden, cut to 200 characters; null if the golden ends before it. */
  readonly expected: string | null
  /** The line that the program wrote, cut to 200 characters; null if its output ends before it. */
  readonly received: string | null
}

/** The maximum length of a shown line, in characters. */
const maxShownLength = 200

/** Describes how a golden file differs from the text that came. Pass `undefined` for a file that does not exist. */
export const describeLineDifference = (
  file: string,
  expected: string | undefined,
  received: string | undefined,
): LineDifference => {
  const expectedLines = splitLines(expected)
  const receivedLines = splitLines(received)
  let index = 0
  while (expectedLines[index] === receivedLines[index] && index < expectedLines.length) index++
  const cut = (line: string | undefined): string | null =>
    line === undefined
      ? null
      : [...line.slice(0, 2 * maxShownLength)].slice(0, maxShownLength).join('')
  return {
    file,
    line: index + 1,
    expected: cut(expectedLines[index]),
    received: cut(receivedLines[index]),
  }
}

/** Splits a text into lines. After a final line end there is one more line, which is empty. A missing file has no line. */
const splitLines = (text: string | undefined): ReadonlyArray<string> =>
  text === undefined ? [] : toLf(Buffer.from(text)).toString().split('\n')
