import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pagePaths, readPage } from '../support/documents'
import { root } from '../support/folders'
import {
  fixturesReadme,
  formatFixturesReadme,
  readIfPresent,
  refreshConsoleBlocks,
} from './generated-pages'
import { readProjectGolden } from './golden-files'
import { listStrayFiles, readProjectScenarios } from './project-scenarios'
import { drawPicture, pictures } from './terminal-picture'

const test = suite('golden: folders and generated pages')
const scenarios = readProjectScenarios()

test('every file in fixtures and golden belongs to a scenario', () => {
  assert.equal(listStrayFiles(scenarios), [])
})

// A golden is the expected output of a scenario.
test('every scenario has a golden', () => {
  const names = scenarios.map(({ name }) => name)
  const withoutGolden = names.filter((name) => readProjectGolden(name).exit === undefined)
  assert.equal(withoutGolden, [])
})

test('every title of a scenario is unique', () => {
  const titles = scenarios.map(({ scenario }) => scenario.title)
  const repeated = titles.filter((title, index) => titles.indexOf(title) !== index)
  assert.equal(repeated, [])
})

test('fixtures/README.md is up to date', () => {
  assert.fixture(readIfPresent(fixturesReadme), formatFixturesReadme(scenarios))
})

test('the console blocks of README.md and the topics are up to date', () => {
  for (const path of pagePaths) {
    const page = readPage(path)
    assert.fixture(page, refreshConsoleBlocks(page, scenarios), path)
  }
})

test('README.md is at most 150 lines', () => {
  assert.ok(readPage('README.md').trimEnd().split('\n').length <= 150)
})

test('the pictures of README.md are up to date', () => {
  for (const { file, colours } of pictures)
    assert.fixture(readIfPresent(file), drawPicture(scenarios, colours))
})

test('golden:update refuses to run in CI', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--import', './test/support/imported-files.mjs', 'test/golden/update.ts'],
    { cwd: root, env: { PATH: process.env.PATH, CI: 'true' }, encoding: 'utf8' },
  )
  assert.is(status, 1)
  // Node 26 may print a warning first, because msw looks for localStorage.
  assert.match(stderr, /^goldens are not rewritten in CI$/m)
})

test.run()
