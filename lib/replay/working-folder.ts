import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { basename } from 'node:path/posix'
import type { Version } from '../runtime/build'
import { goldenKey } from './compare-requests'
import { escapePlaceholders, expandPlaceholders } from './placeholders'
import {
  listFiles,
  listInputFiles,
  type NamedScenario,
  parseArguments,
  readBytes,
  readInputFile,
} from './scenarios'

/** A temporary working folder with the files of a scenario, and everything else that one run of the scenario needs. */
export interface WorkingFolder {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly argv: ReadonlyArray<string>
  readonly stdin: Buffer
  /** Replaces values that differ from run to run by `{base_url}`, `{host}`, `{cwd}`, `{node}` and `{version}`. */
  readonly redact: (text: string) => string
  /** Returns the files that the run wrote or changed, redacted, by path. */
  readonly readWritten: () => Readonly<Record<string, string>>
  readonly remove: () => void
}

/**
 * Makes an empty temporary folder. `remove` deletes it with its content. On macOS the system's temporary folder is a link, and messages of
 * svc have real paths.
 */
export const makeTemporaryFolder = (): { readonly path: string; readonly remove: () => void } => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'svc-golden-')))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Files that replace those of scenarios with the same name, such as `questions.json`: their content by name. */
export type Replacements = ReadonlyMap<string, Uint8Array>

/** Prepares a run of a scenario against `baseUrl` by a program of this version. */
export const prepareWorkingFolder = async (
  namedScenario: NamedScenario,
  baseUrl: string,
  version: Version,
  replacements: Replacements = new Map(),
): Promise<WorkingFolder> => {
  const { scenario } = namedScenario
  const { path, remove } = makeTemporaryFolder()
  const cwd = join(path, 'work')
  // svc may save an output here that it cannot write elsewhere.
  const temporaryFolder = join(path, 'tmp')
  try {
    for (const folder of [cwd, temporaryFolder]) mkdirSync(folder)
    const inputs = await writeInputs(namedScenario, cwd, replacements)
    const values = { base_url: baseUrl, cwd }
    const redact = (text: string): string => redactRun(text, { baseUrl, cwd, version })
    const env: Record<string, string> = { TMPDIR: temporaryFolder, TEMP: temporaryFolder }
    const variables = { SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: goldenKey, ...scenario.env }
    for (const [name, value] of Object.entries(variables))
      if (value !== null) env[name] = expandPlaceholders(value, values)
    return {
      cwd,
      env,
      argv: parseArguments(scenario).map((word) => expandPlaceholders(word, values)),
      stdin: await readBytes(namedScenario, scenario.stdin ?? ''),
      redact,
      readWritten: () => readChangedFiles(cwd, inputs, redact),
      remove,
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** Replaces the values that differ from run to run by placeholders. */
const redactRun = (
  text: string,
  { baseUrl, cwd, version }: { baseUrl: string; cwd: string; version: Version },
): string =>
  redactVersion(escapePlaceholders(text), version)
    .replaceAll(baseUrl, '{base_url}')
    .replaceAll(new URL(baseUrl).host, '{host}')
    .replaceAll(cwd, '{cwd}')
    // `go` is the version of Node.
    .replaceAll(version.go, '{node}')

/** Writes the files of a scenario into its working folder. Returns their content by path. */
const writeInputs = async (
  namedScenario: NamedScenario,
  cwd: string,
  replacements: Replacements,
): Promise<ReadonlyMap<string, Buffer>> => {
  const { folder, scenario } = namedScenario
  const inputs = new Map<string, Buffer>()
  const writeInput = (path: string, data: Buffer): void => {
    const replacement = replacements.get(basename(path))
    const content = replacement === undefined ? data : Buffer.from(replacement)
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), content)
    inputs.set(path, content)
  }
  for (const path of listInputFiles(folder)) writeInput(path, readInputFile(namedScenario, path))
  for (const [path, content] of Object.entries(scenario.files ?? {})) {
    const isFolder = typeof content === 'object' && 'folder' in content
    if (isFolder) mkdirSync(join(cwd, path), { recursive: true })
    else writeInput(path, await readBytes(namedScenario, content))
  }
  return inputs
}

/** Reads the files of a working folder that are new or differ from the inputs. Returns their redacted text by path. */
const readChangedFiles = (
  cwd: string,
  inputs: ReadonlyMap<string, Buffer>,
  redact: (text: string) => string,
): Readonly<Record<string, string>> => {
  const changedFiles: Record<string, string> = {}
  for (const path of listFiles(cwd)) {
    const data = readFileSync(join(cwd, path))
    if (!inputs.get(path)?.equals(data)) changedFiles[path] = redact(data.toString())
  }
  return changedFiles
}

/**
 * Replaces the fields of the document of `svc version`, and the version of svc in other texts. Leaves the field `go` to the caller,
 * who replaces the version of Node everywhere.
 */
const redactVersion = (text: string, version: Version): string => {
  const { go, ...fields } = version
  let redacted = text
    .replaceAll(`svc/${version.version}`, 'svc/{version}')
    .replaceAll(`svc version ${version.version}`, 'svc version {version}')
    // In HTML pages.
    .replaceAll(`; svc ${version.version}</dd>`, '; svc {version}</dd>')
  // JSON on one line, and indented JSON.
  for (const [name, value] of Object.entries(fields))
    for (const key of [`"${name}":`, `"${name}": `])
      redacted = redacted.replaceAll(`${key}${JSON.stringify(value)}`, `${key}"{${name}}"`)
  return redacted
}
