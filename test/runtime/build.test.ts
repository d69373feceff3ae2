import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type BuildInfo, resolveVersion, unknownBuild, type Version } from '../../lib/runtime/build'

const test = suite('runtime/build')

/** A build that knows all facts. */
const buildInfo: BuildInfo = {
  version: '1.2.3',
  commit: 'abc1234',
  moduleVersion: '0.9.0',
  revision: '0123456789abcdef',
  modified: true,
}

/** The version of Node. The output of `svc version` names it `go`. */
const go = 'v20.19.0'

/** Resolves the version of a build that differs from `buildInfo` in some facts. */
const resolveWith = (changes: Partial<BuildInfo>): Version =>
  resolveVersion({ ...buildInfo, ...changes }, go)

test('shows the version in package.json, with seven characters of the revision as the commit', () => {
  const facts = { go, modified: true, source: 'module', version: '0.9.0' }
  assert.equal(resolveWith({ version: 'dev' }), { commit: '0123456', ...facts })
  assert.equal(resolveWith({ version: 'dev', revision: '' }), { commit: 'none', ...facts })
  assert.is(resolveWith({ version: 'dev', modified: false }).modified, false)
})

test('shows the revision if package.json has no version', () => {
  for (const moduleVersion of ['', '(devel)']) {
    assert.equal(resolveWith({ version: 'dev', moduleVersion }), {
      commit: '0123456',
      go,
      modified: true,
      source: 'vcs',
      version: '(devel)',
    })
  }
})

test('shows `dev` if the build knows nothing', () => {
  const unknown = { commit: 'none', go, modified: false, source: 'unknown', version: 'dev' }
  assert.equal(resolveVersion(unknownBuild, go), unknown)
  assert.equal(resolveWith({ version: 'dev', moduleVersion: '(devel)', revision: '' }), unknown)
})

test.run()
