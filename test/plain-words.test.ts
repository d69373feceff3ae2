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

/** Finds the lines of files that match, each with its place. */
const findLines = (files: ReadonlyArray<string>, pattern: RegExp): ReadonlyArray<string> =>
  files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
  )

/** A number of a rule in a document that readers do not have, such as a letter with two digits, or its name. */
const rule = String.raw`(\b[DRP]\d{1,2}\b|spec: )`

test('comments and titles of tests cite no rule of a document that readers do not have', () => {
  const files = ['lib', 'commands', 'test'].flatMap((folder) =>
    listFiles(folder, /\.(ts|tsx|mjs)$/),
  )
  assert.ok(files.length > 500)
  assert.equal(findLines(files, new RegExp(String.raw`(//|\*|test\().*${rule}`)), [])
})

test('nor do titles of scenarios', () => {
  const files = listFiles('fixtures', /scenario\.json$/)
  assert.ok(files.length > 1000)
  assert.equal(findLines(files, new RegExp(`"title".*${rule}`)), [])
})

test.run()
