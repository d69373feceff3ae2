import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type BuildInfo, resolveVersion, unknownBuild, type Version } from '../../lib/runtime/build'

const test = suite('runtime/build')

const full: BuildInfo = {
  version: '1.2.3',
  commit: 'abc1234',
  moduleVersion: '0.9.0',
  revision: '0123456789abcdef',
  modified: true,
}

const resolved = (parts: Partial<BuildInfo>): Version =>
  resolveVersion({ ...full, ...parts }, 'v20.19.0')
const go = 'v20.19.0'

test('rule 2: the module version, with seven characters of the revision', () => {
  const version = { go, modified: true, source: 'module', version: '0.9.0' }
  assert.equal(resolved({ version: 'dev' }), { commit: '0123456', ...version })
  assert.equal(resolved({ version: 'dev', revision: '' }), { commit: 'none', ...version })
  assert.is(resolved({ version: 'dev', modified: false }).modified, false)
})

test('rule 3: the revision', () => {
  for (const moduleVersion of ['', '(devel)']) {
    assert.equal(resolved({ version: 'dev', moduleVersion }), {
      ...{ commit: '0123456', go, modified: true },
      ...{ source: 'vcs', version: '(devel)' },
    })
  }
})

test('rule 4: nothing is known', () => {
  const nothing = { commit: 'none', go, modified: false, source: 'unknown', version: 'dev' }
  assert.equal(resolveVersion(unknownBuild, go), nothing)
  assert.equal(resolved({ version: 'dev', moduleVersion: '(devel)', revision: '' }), nothing)
})

test.run()
