import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from './support/folders'

const test = suite('plain words')

const listFiles = (folder: string, ending: RegExp): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name))

/** Lists the lines that match, each with its file and number. */
const findLines = (files: ReadonlyArray<string>, pattern: RegExp): ReadonlyArray<string> =>
  files.flatMap((file) => {
    const found: string[] = []
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    for (const [index, line] of lines.entries())
      if (pattern.test(line)) found.push(`${file}:${index + 1}: ${line.trim()}`)
    return found
  })

/** Matches a reference to a rule of a document outside the repository, such as R with a number, or the name of the document. */
const ruleReference = String.raw`(\b[DRP]\d{1,2}\b|spec: )`

test('comments and test titles do not cite documents outside the repository', () => {
  const files = ['lib', 'commands', 'test'].flatMap((folder) =>
    listFiles(folder, /\.(ts|tsx|mjs)$/),
  )
  // Fewer files would mean that the search misses a folder.
  assert.ok(files.length > 500)
  assert.equal(findLines(files, new RegExp(String.raw`(//|\*|test\().*${ruleReference}`)), [])
})

test('titles of scenarios do not cite documents outside the repository', () => {
  const files = listFiles('fixtures', /scenario\.json$/)
  assert.ok(files.length > 1000)
  assert.equal(findLines(files, new RegExp(`"title".*${ruleReference}`)), [])
})

test.run()
