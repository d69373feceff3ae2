import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Version } from '../runtime/build'
import { goldenKey } from './exchange'
import { bytesOf, inputFiles, type NamedScenario, readArguments } from './scenarios'

/** A working folder of its own for one run, holding the scenario's files. */
interface WorkingFolder {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly argv: ReadonlyArray<string>
  readonly stdin: Buffer
  /** Puts placeholders in the place of values that differ from run to run: `{base_url}`, `{host}`, `{cwd}`, `{node}` and `{version}`. */
  readonly redact: (text: string) => string
  /** What the run wrote, by path. */
  readonly listWritten: () => Readonly<Record<string, string>>
  readonly remove: () => void
}

/** Makes an empty temporary folder. `remove` removes it with all that is in it. */
export const makeTemporaryFolder = (): { readonly path: string; readonly remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), 'svc-golden-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Lays out a scenario's folder, environment and arguments for a run of this build against `baseUrl`. */
export const layOutFolder = async (
  { folder, scenario }: NamedScenario,
  baseUrl: string,
  version: Version,
): Promise<WorkingFolder> => {
  const { path: cwd, remove } = makeTemporaryFolder()
  const before = new Map<string, Buffer>()
  const put = (path: string, data: Buffer): void => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), data)
    before.set(path, data)
  }
  for (const path of inputFiles(folder)) put(path, readFileSync(join(folder, path)))
  for (const [path, content] of Object.entries(scenario.files ?? {}))
    if (typeof content === 'object' && 'folder' in content) mkdirSync(join(cwd, path))
    else put(path, await bytesOf(folder, content))
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
    argv: readArguments(scenario).map(expand),
    stdin: await bytesOf(folder, scenario.stdin ?? ''),
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

/** Puts placeholders in the place of what a build reports of itself, in the places where it does. */
const redactVersion = (text: string, version: Version): string => {
  const { go, ...fields } = version
  const redacted = text
    .replaceAll(`svc/${version.version}`, 'svc/{version}')
    .replaceAll(`svc version ${version.version}`, 'svc version {version}')
    .replaceAll(`; svc ${version.version}</dd>`, '; svc {version}</dd>')
  return Object.entries(fields).reduce(
    (left, [name, value]) =>
      [`"${name}":`, `"${name}": `].reduce(
        (found, key) => found.replaceAll(`${key}${JSON.stringify(value)}`, `${key}"{${name}}"`),
        left,
      ),
    redacted,
  )
}
