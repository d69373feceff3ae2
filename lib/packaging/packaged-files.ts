/** The build runs this to write files of the package besides its code: declarations, documentation, scenarios and licences. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { archiveName, encodeArchive, listFiles } from '../replay/scenarios'
import { describeLibrary } from './declarations'

/**
 * Writes these into `folder`:
 *
 * - the type declarations of the library
 * - the API page of the library
 * - the archive of scenarios and goldens
 * - the licences of the bundled packages and tables
 *
 * `root` is the folder of the project. `sources` are the paths of all bundled sources.
 */
export const writePackagedFiles = (
  root: string,
  folder: string,
  sources: ReadonlyArray<string>,
): void => {
  const { declarations, page } = describeLibrary(root)
  writeFileSync(join(folder, 'library.d.mts'), declarations)
  writeFileSync(join(folder, 'API.md'), page)
  writeFileSync(join(folder, archiveName), encodeArchive(readScenarioFiles(root)))
  writeFileSync(join(folder, 'THIRD_PARTY_NOTICES.txt'), formatNotices(root, sources))
}

/**
 * Reads all files of scenarios and goldens. Returns their texts by path. A scenario is an example command with the responses of the
 * service. Scenarios are in `fixtures`. A golden is the expected output of a scenario.
 */
const readScenarioFiles = (root: string): Readonly<Record<string, string>> => {
  const texts: Record<string, string> = {}
  for (const folder of ['fixtures', 'golden'])
    for (const path of listFiles(join(root, folder)))
      texts[`${folder}/${path}`] = readFileSync(join(root, folder, path), 'utf8')
  return texts
}

/** The members of a package.json that notices need. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Packages that are bundled into this one, by name. */
  readonly inlinedDependencies?: Readonly<Record<string, string>>
}

/** Formats the licences of all packages that the sources belong to, of packages that are bundled into those, and of tables. */
const formatNotices = (root: string, sources: ReadonlyArray<string>): string => {
  const readManifest = (folder: string): Manifest =>
    JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  // A source without a package adds no folder.
  const folders = new Set(sources.flatMap((path) => findPackageFolder(path) ?? []))
  // The loop also visits the folders that it adds to this set.
  for (const folder of folders)
    for (const name of Object.keys(readManifest(folder).inlinedDependencies ?? {}))
      folders.add(`node_modules/${name}`)
  const notices = [...folders].sort().map((folder) => {
    const { name, version, license: licenceName } = readManifest(folder)
    const licenceText = readLicenceText(join(root, folder))
    return `${name} ${version} (${licenceName})\n\n${licenceText.trim()}\n`
  })
  // A table has the notices of the works that it was made from in a file beside it, with the same lines between them.
  const tables = sources.filter((path) => path.endsWith('.bin'))
  const tableNotices = tables.map((path) =>
    readFileSync(join(root, dirname(path), 'NOTICES.txt'), 'utf8'),
  )
  return [...notices, ...tableNotices].join(`\n${'-'.repeat(72)}\n\n`)
}

/**
 * Returns `node_modules/@scope/name` for a source of that package. Returns `undefined` for a source of svc, and for a module that the
 * build makes, such as `lazy:zlib`.
 */
const findPackageFolder = (path: string): string | undefined =>
  /^[^:]*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]

/** Reads the licence of a package. A package without a licence file has its licence in its README. Throws if both are missing. */
const readLicenceText = (folder: string): string => {
  const names = readdirSync(folder)
  const file =
    names.find((name) => /^licen[cs]e/i.test(name)) ?? names.find((name) => /^readme/i.test(name))
  if (file === undefined) throw new Error(`${folder} has no licence`)
  return readFileSync(join(folder, file), 'utf8')
}
