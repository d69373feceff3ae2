/** Run by the build: writes the files of the package other than the program. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { archiveName, encodeArchive, listFiles } from '../replay/scenarios'
import { describeLibrary } from './declarations'

/**
 * Writes to a folder: the declarations and the API page of the library, the archive of the scenarios and goldens of the
 * project in `root`, and the licences of the bundled packages. `inputs` are the paths of the files in the bundle.
 */
export const writePackagedFiles = (
  root: string,
  folder: string,
  inputs: ReadonlyArray<string>,
): void => {
  const { declarations, page } = describeLibrary(root)
  writeFileSync(join(folder, 'library.d.mts'), declarations)
  writeFileSync(join(folder, 'API.md'), page)
  const paths = ['fixtures', 'golden'].flatMap((top) =>
    listFiles(join(root, top)).map((path) => `${top}/${path}`),
  )
  const texts = paths.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  writeFileSync(join(folder, archiveName), encodeArchive(Object.fromEntries(texts)))
  writeFileSync(join(folder, 'THIRD_PARTY_NOTICES.txt'), formatNotices(root, inputs))
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  /** The versions of other packages that this one holds, by name. */
  readonly inlinedDependencies?: Readonly<Record<string, string>>
}

/** Formats the licences of the packages that these files belong to, and of the packages bundled in those. */
const formatNotices = (root: string, inputs: ReadonlyArray<string>): string => {
  const readManifest = (folder: string): Manifest =>
    JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const folders = new Set(
    inputs.flatMap((path) => /^[^:]*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
  )
  for (const folder of folders)
    for (const name of Object.keys(readManifest(folder).inlinedDependencies ?? {}))
      folders.add(`node_modules/${name}`)
  const notices = [...folders].sort().map((folder) => {
    const { name, version, license } = readManifest(folder)
    const find = (pattern: RegExp) =>
      readdirSync(join(root, folder)).find((file) => pattern.test(file))
    // A package without a file for its licence has the text in its README.
    const file = find(/^licen[cs]e/i) ?? find(/^readme/i) ?? ''
    const text = readFileSync(join(root, folder, file), 'utf8')
    return `${name} ${version} (${license})\n\n${text.trim()}\n`
  })
  return notices.join(`\n${'-'.repeat(72)}\n\n`)
}
