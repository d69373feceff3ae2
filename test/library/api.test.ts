import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from '../support/folders'
import { describeLibrary, paths } from './declarations'

const test = suite('library/api')

test('the declarations and the API page are current: npm run api:update', () => {
  const { declarations, page } = describeLibrary()
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  assert.is(read(paths.declarations), declarations)
  assert.is(read(paths.page), page)
})

test('every export has a doc comment', () => {
  const bare = describeLibrary().page.match(/^## \w+\n\n\n/gm) ?? []
  assert.equal(bare, [])
})

test.run()
