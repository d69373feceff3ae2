import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Version } from '../runtime/build'
import { goldenKey } from './compare-requests'
import {
  listFiles,
  listInputFiles,
  type NamedScenario,
  parseArguments,
  readBytes,
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

/** Prepares a run of a scenario against `baseUrl` by a program of this version. */
export const prepareWorkingFolder = async (
  namedScenario: NamedScenario,
  baseUrl: string,
  version: Version,
): Promise<WorkingFolder> => {
  const { folder, scenario } = namedScenario
  const { path: cwd, remove } = makeTemporaryFolder()
  const inputs = await writeInputs(namedScenario, cwd)
  const expand = (text: string): string =>
    text.replaceAll('{base_url}', baseUrl).replaceAll('{cwd}', cwd)
  const redact = (text: string): string =>
    redactVersion(text, version)
      .replaceAll(baseUrl, '{base_url}')
      .replaceAll(new URL(baseUrl).host, '{host}')
      .replaceAll(cwd, '{cwd}')
      // `go` is the version of Node.
      .replaceAll(version.go, '{node}')
  const env: Record<string, string> = {}
  const variables = { SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: goldenKey, ...scenario.env }
  for (const [name, value] of Object.entries(variables))
    if (value !== null) env[name] = expand(value)
  return {
    cwd,
    env,
    argv: parseArguments(scenario).map(expand),
    stdin: await readBytes(folder, scenario.stdin ?? ''),
    redact,
    readWritten: () => readChangedFiles(cwd, inputs, redact),
    remove,
  }
}

/** Writes the files of a scenario into its working folder. Returns their content by path. */
const writeInputs = async (
  { folder, scenario }: NamedScenario,
  cwd: string,
): Promise<ReadonlyMap<string, Buffer>> => {
  const inputs = new Map<string, Buffer>()
  const writeInput = (path: string, data: Buffer): void => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), data)
    inputs.set(path, data)
  }
  for (const path of listInputFiles(folder)) writeInput(path, readFileSync(join(folder, path)))
  for (const [path, content] of Object.entries(scenario.files ?? {})) {
    const isFolder = typeof content === 'object' && 'folder' in content
    if (isFolder) mkdirSync(join(cwd, path))
    else writeInput(path, await readBytes(folder, content))
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
