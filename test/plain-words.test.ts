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

/** Finds the lines that match, each with its file and number. */
const findLines = (files: ReadonlyArray<string>, pattern: RegExp): ReadonlyArray<string> =>
  files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
  )

/** Matches references to rules of a document outside the repository: a letter with a number, or the document's name. */
const rule = String.raw`(\b[DRP]\d{1,2}\b|spec: )`

test('comments and test titles cite no rules from outside the repository', () => {
  const files = ['lib', 'commands', 'test'].flatMap((folder) =>
    listFiles(folder, /\.(ts|tsx|mjs)$/),
  )
  assert.ok(files.length > 500)
  assert.equal(findLines(files, new RegExp(String.raw`(//|\*|test\().*${rule}`)), [])
})

test('titles of scenarios cite no rules from outside the repository', () => {
  const files = listFiles('fixtures', /scenario\.json$/)
  assert.ok(files.length > 1000)
  assert.equal(findLines(files, new RegExp(`"title".*${rule}`)), [])
})

test.run()
