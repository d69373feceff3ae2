import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

/** The scenarios and goldens as one file beside the program: gzip of a JSON object that has the texts by path. */
export const archiveName = 'fixtures.json.gz'

/** Where the archive is beside an installed program, whose parts are in a folder of their own. */
export const archivePath = join(import.meta.dirname, '..', archiveName)

/** Packs texts by path. */
export const packArchive = (texts: Readonly<Record<string, string>>): Uint8Array =>
  gzipSync(JSON.stringify(texts), { level: 9 })

/** The paths and texts of an archive. */
export const unpackArchive = (
  archive: Uint8Array,
): ReadonlyArray<readonly [path: string, text: string]> =>
  Object.entries(JSON.parse(gunzipSync(archive).toString()))
