import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  cacheCompiledCode,
  checkNodeVersion,
  findCacheFolder,
  preparePrivateFolder,
} from '../../lib/runtime/node/before-start'
import { createTemporaryFolder, root } from '../support/folders'

const test = suite('runtime/before-start')
const base = createTemporaryFolder()

test('finds the cache folder of each platform', () => {
  const cases: ReadonlyArray<
    readonly [
      platform: NodeJS.Platform,
      env: Readonly<Record<string, string>>,
      folder: string | undefined,
    ]
  > = [
    ['linux', { HOME: '/home/u' }, '/home/u/.cache/svc'],
    ['linux', { HOME: '/home/u', XDG_CACHE_HOME: '/c' }, '/c/svc'],
    ['linux', { HOME: '/home/u', XDG_CACHE_HOME: '' }, '/home/u/.cache/svc'],
    ['linux', { HOME: '/home/u', XDG_CACHE_HOME: 'relative' }, '/home/u/.cache/svc'],
    ['linux', { HOME: 'relative' }, undefined],
    ['linux', {}, undefined],
    ['darwin', { HOME: '/Users/u' }, '/Users/u/Library/Caches/svc'],
    ['darwin', { HOME: '/Users/u', XDG_CACHE_HOME: '/c' }, '/c/svc'],
    ['win32', { LOCALAPPDATA: '/l', HOME: '/h' }, '/l/svc'],
    ['win32', { HOME: '/h' }, undefined],
  ]
  for (const [platform, env, expected] of cases)
    assert.is(findCacheFolder(env, platform), expected, JSON.stringify([platform, env]))
})

test('creates a missing folder that only the user may use', () => {
  const folder = join(base, 'cache', 'svc')
  assert.is(preparePrivateFolder(folder), true)
  assert.is(statSync(folder).mode & 0o777, 0o700)
  assert.is(preparePrivateFolder(folder), true)
})

test('refuses a folder that other users may use', () => {
  for (const mode of [0o755, 0o750, 0o710, 0o702, 0o1777]) {
    const folder = join(base, mode.toString(8))
    mkdirSync(folder)
    chmodSync(folder, mode)
    assert.is(preparePrivateFolder(folder), false, mode.toString(8))
  }
})

test('refuses a link, a file and a folder that it cannot create', () => {
  mkdirSync(join(base, 'private'), { mode: 0o700 })
  symlinkSync(join(base, 'private'), join(base, 'link'))
  assert.is(preparePrivateFolder(join(base, 'link')), false)
  symlinkSync(join(base, 'nowhere'), join(base, 'dangling'))
  assert.is(preparePrivateFolder(join(base, 'dangling')), false)
  writeFileSync(join(base, 'file'), '')
  assert.is(preparePrivateFolder(join(base, 'file')), false)
  assert.is(preparePrivateFolder(join(base, 'file', 'svc')), false)
})

test('refuses a folder of another user', () => {
  const { geteuid } = process
  const folder = join(base, 'other')
  assert.is(preparePrivateFolder(folder), true)
  process.geteuid = () => (geteuid?.() ?? 0) + 1
  assert.is(preparePrivateFolder(folder), false)
  process.geteuid = geteuid
})

test('caches compiled code only in a private folder, and not on Node 20', () => {
  const { getBuiltinModule } = process
  const cacheFolders: string[] = []
  const enableCompileCache = (folder: string) => cacheFolders.push(folder)
  process.getBuiltinModule = ((id: string) =>
    id === 'node:module' ? { enableCompileCache } : getBuiltinModule(id)) as typeof getBuiltinModule
  const privateBase = join(base, 'of-the-user')
  const sharedBase = join(base, 'of-all-users')
  mkdirSync(join(sharedBase, 'svc'), { recursive: true })
  chmodSync(join(sharedBase, 'svc'), 0o777)

  cacheCompiledCode({ XDG_CACHE_HOME: privateBase }, '22.3.0')
  cacheCompiledCode({ XDG_CACHE_HOME: sharedBase }, '22.3.0')
  cacheCompiledCode({ XDG_CACHE_HOME: privateBase }, '20.20.2')

  process.getBuiltinModule = getBuiltinModule
  assert.equal(cacheFolders, [join(privateBase, 'svc')])
})

test('refuses versions of Node that are too old', () => {
  for (const version of ['20.19.0', '20.20.2', '22.3.0', '22.10.1', '23.0.0', '24.1.0', '100.0.0'])
    assert.is(checkNodeVersion(version), undefined, version)
  for (const version of ['0.12.18', '8.17.0', '18.20.8', '20.18.3', '21.7.3', '22.0.0', '22.2.0'])
    assert.match(checkNodeVersion(version)?.stderr ?? '', `; this is ${version}\n`)
})

test('package.json names the same versions of Node', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(engines, { node: '^20.19.0 || >=22.3.0' })
})

test.run()
