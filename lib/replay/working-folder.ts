import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Version } from '../runtime/build'
import { goldenKey } from './exchange'
import { listInputFiles, type NamedScenario, parseArguments, readBytes } from './scenarios'

/** A temporary working folder for one run, with the scenario's files in it. */
interface WorkingFolder {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly argv: ReadonlyArray<string>
  readonly stdin: Buffer
  /** Replaces values that differ from run to run by `{base_url}`, `{host}`, `{cwd}`, `{node}` and `{version}`. */
  readonly redact: (text: string) => string
  /** Returns the files that the run wrote or changed, redacted, by path. */
  readonly listWritten: () => Readonly<Record<string, string>>
  readonly remove: () => void
}

/** Makes an empty temporary folder. `remove` deletes it with its content. */
export const makeTemporaryFolder = (): { readonly path: string; readonly remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), 'svc-golden-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Prepares folder, environment and arguments for a run of a scenario against `baseUrl`. */
export const layOutFolder = async (
  { folder, scenario }: NamedScenario,
  baseUrl: string,
  version: Version,
): Promise<WorkingFolder> => {
  const { path: cwd, remove } = makeTemporaryFolder()
  const before = new Map<string, Buffer>()
  const writeInput = (path: string, data: Buffer): void => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), data)
    before.set(path, data)
  }
  for (const path of listInputFiles(folder)) writeInput(path, readFileSync(join(folder, path)))
  for (const [path, content] of Object.entries(scenario.files ?? {}))
    if (typeof content === 'object' && 'folder' in content) mkdirSync(join(cwd, path))
    else writeInput(path, await readBytes(folder, content))
  const expand = (text: string): string =>
    text.replaceAll('{base_url}', baseUrl).replaceAll('{cwd}', cwd)
  const redact = (text: string): string =>
    redactVersion(text, version)
      .replaceAll(baseUrl, '{base_url}')
      .replaceAll(new URL(baseUrl).host, '{host}')
      .replaceAll(cwd, '{cwd}')
      .replaceAll(version.go, '{node}')
  const env = { SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: goldenKey, ...scenario.env }
  return {
    cwd,
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) =>
        value === null ? [] : [[name, expand(value)]],
      ),
    ),
    argv: parseArguments(scenario).map(expand),
    stdin: await readBytes(folder, scenario.stdin ?? ''),
    redact,
    listWritten: () => {
      const entries = readdirSync(cwd, { recursive: true, withFileTypes: true })
      const changed = entries.flatMap((entry) => {
        if (!entry.isFile()) return []
        const full = join(entry.parentPath, entry.name)
        const path = full.slice(cwd.length + 1)
        const data = readFileSync(full)
        return before.get(path)?.equals(data) ? [] : [[path, redact(data.toString())] as const]
      })
      return Object.fromEntries(changed)
    },
    remove,
  }
}

/** Replaces the fields of `svc version`, in its output and in the other texts that show the version. */
const redactVersion = (text: string, version: Version): string => {
  const { go, ...fields } = version
  let redacted = text
    .replaceAll(`svc/${version.version}`, 'svc/{version}')
    .replaceAll(`svc version ${version.version}`, 'svc version {version}')
    .replaceAll(`; svc ${version.version}</dd>`, '; svc {version}</dd>')
  for (const [name, value] of Object.entries(fields))
    for (const key of [`"${name}":`, `"${name}": `])
      redacted = redacted.replaceAll(`${key}${JSON.stringify(value)}`, `${key}"{${name}}"`)
  return redacted
}
