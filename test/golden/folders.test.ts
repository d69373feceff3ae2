import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { squeezeJson } from '../../lib/replay/scenario'
import { pages, readPage } from '../support/documents'
import { root } from '../support/folders'
import { index, indexFile, read, refreshed } from './generated-pages'
import { expected } from './golden-files'
import { scenarios, strays } from './scenario'
import { drawPicture, pictureFile } from './terminal-picture'

const test = suite('golden: folders and pages')
const all = scenarios()

test('every file belongs to a scenario', () => {
  assert.equal(strays(all), [])
})

test('every scenario has its golden', () => {
  const without = all.filter(({ name }) => expected(name).exit === undefined)
  assert.equal(
    without.map(({ name }) => name),
    [],
  )
})

test('no two scenarios have the same title', () => {
  const titles = all.map(({ scenario }) => scenario.title)
  assert.equal(
    titles.filter((title, at) => titles.indexOf(title) !== at),
    [],
  )
})

test('fixtures/README.md is what the scenarios say', () => {
  assert.fixture(read(indexFile), index(all))
})

test('README.md and the topics show what their scenarios print', () => {
  for (const page of pages) assert.fixture(readPage(page), refreshed(readPage(page), all))
})

test('README.md is at most 150 lines', () => {
  assert.ok(readPage('README.md').split('\n').length <= 151)
})

test('the picture of README.md is what its scenario prints', () => {
  assert.fixture(read(pictureFile), drawPicture(all))
})

test('goldens are not rewritten in CI', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--import', './test/support/markdown.mjs', 'test/golden/update.ts'],
    { cwd: root, env: { PATH: process.env.PATH, CI: 'true' }, encoding: 'utf8' },
  )
  assert.is(status, 1)
  // Node 26 may warn before it, of the localStorage that msw looks for.
  assert.match(stderr, /^goldens are not rewritten in CI$/m)
})

test('squeezing keeps every literal', () => {
  assert.is(
    squeezeJson(Buffer.from('{ "a b" : [ 1.0 , "\\" x" ],\n\t"c":1e400 }')),
    '{"a b":[1.0,"\\" x"],"c":1e400}',
  )
})

test.run()
