import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from '../support/folders'
import { describeLibrary } from './declarations'

const test = suite('library/api')

const made = describeLibrary()

test('the declarations and the API page are current: npm run api:update', () => {
  for (const [path, text] of made) assert.is(readFileSync(join(root, path), 'utf8'), text, path)
})

test('every export has a doc comment', () => {
  const pages = [...made.values()].filter((text) => text.startsWith('# '))
  assert.is(pages.length, 1)
  assert.not.match(pages[0] ?? '', /^### \w+\n\n\n/m)
})

test.run()
