/** Writes the declarations and the API page of the library: `npm run api:update`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/folders'
import { describeLibrary } from './declarations'

for (const [path, text] of describeLibrary()) writeFileSync(join(root, path), text)
