import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './folders'

/** Reads a JSON file of `test/vectors`, which has test vectors of other projects. */
export const readVectors = <A>(name: string): A =>
  JSON.parse(readFileSync(join(root, 'test/vectors', name), 'utf8'))
