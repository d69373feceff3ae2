/** Writes the declarations and the API page of the library: `npm run api:update`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/folders'
import { describeLibrary, paths } from './declarations'

const { declarations, page } = describeLibrary()
writeFileSync(join(root, paths.declarations), declarations)
writeFileSync(join(root, paths.page), page)
