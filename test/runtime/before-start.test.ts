import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  cacheCompiledCode,
  explainOldNode,
  findCacheFolder,
  preparePrivateFolder,
} from '../../lib/runtime/node/before-start'
import { createTemporaryFolder, root } from '../support/folders'

const test = suite('runtime/before-start')
const testFolder = createTemporaryFolder()

/** A platform and an environment, with their cache folder. */
interface CacheFolderCase {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string>>
  readonly folder: string | undefined
}

const cacheFolderCases: ReadonlyArray<CacheFolderCase> = [
  { platform: 'linux', env: { HOME: '/home/u' }, folder: '/home/u/.cache/svc' },
  { platform: 'linux', env: { HOME: '/home/u', XDG_CACHE_HOME: '/c' }, folder: '/c/svc' },
  { platform: 'linux', env: { HOME: '/home/u', XDG_CACHE_HOME: '' }, folder: '/home/u/.cache/svc' },
  {
    platform: 'linux',
    env: { HOME: '/home/u', XDG_CACHE_HOME: 'relative' },
    folder: '/home/u/.cache/svc',
  },
  { platform: 'linux', env: { HOME: 'relative' }, folder: undefined },
  { platform: 'linux', env: {}, folder: undefined },
  { platform: 'darwin', env: { HOME: '/Users/u' }, folder: '/Users/u/Library/Caches/svc' },
  { platform: 'darwin', env: { HOME: '/Users/u', XDG_CACHE_HOME: '/c' }, folder: '/c/svc' },
  { platform: 'win32', env: { LOCALAPPDATA: '/l', HOME: '/h' }, folder: '/l/svc' },
  { platform: 'win32', env: { HOME: '/h' }, folder: undefined },
]

test('finds the cache folder of each platform', () => {
  for (const { platform, env, folder } of cacheFolderCases)
    assert.is(findCacheFolder(env, platform), folder, JSON.stringify([platform, env]))
})

test('creates a missing folder that only the user may use', () => {
  const folder = join(testFolder, 'cache', 'svc')
  assert.is(preparePrivateFolder(folder), true)
  assert.is(statSync(folder).mode & 0o777, 0o700)
  assert.is(preparePrivateFolder(folder), true)
})

test('refuses a folder that other users may use', () => {
  // The last mode is that of /tmp.
  for (const mode of [0o755, 0o750, 0o710, 0o702, 0o1777]) {
    const folder = join(testFolder, mode.toString(8))
    mkdirSync(folder)
    chmodSync(folder, mode)
    assert.is(preparePrivateFolder(folder), false, mode.toString(8))
  }
})

test('refuses a link, also to a private folder', () => {
  mkdirSync(join(testFolder, 'private'), { mode: 0o700 })
  symlinkSync(join(testFolder, 'private'), join(testFolder, 'link'))
  symlinkSync(join(testFolder, 'missing'), join(testFolder, 'dangling-link'))
  assert.is(preparePrivateFolder(join(testFolder, 'link')), false)
  assert.is(preparePrivateFolder(join(testFolder, 'dangling-link')), false)
})

test('refuses a file, and a folder below a file', () => {
  writeFileSync(join(testFolder, 'file'), '')
  assert.is(preparePrivateFolder(join(testFolder, 'file')), false)
  assert.is(preparePrivateFolder(join(testFolder, 'file', 'svc')), false)
})

test('refuses a folder of another user', () => {
  const { geteuid } = process
  const folder = join(testFolder, 'other')
  assert.is(preparePrivateFolder(folder), true)
  // Windows has no `geteuid`. There 0 stands for the user.
  process.geteuid = () => (geteuid?.() ?? 0) + 1
  assert.is(preparePrivateFolder(folder), false)
  process.geteuid = geteuid
})

/** Calls `cacheCompiledCode` with this parent of the cache folder. Returns the folder that Node would use, if any. */
const findCompileCache = (cacheHome: string, nodeVersion: string): string | undefined => {
  const { getBuiltinModule } = process
  let cacheFolder: string | undefined
  // `cacheCompiledCode` gets this function from `process.getBuiltinModule('node:module')`.
  const enableCompileCache = (folder: string): void => {
    cacheFolder = folder
  }
  process.getBuiltinModule = ((id: string) =>
    id === 'node:module' ? { enableCompileCache } : getBuiltinModule(id)) as typeof getBuiltinModule
  cacheCompiledCode({ XDG_CACHE_HOME: cacheHome }, nodeVersion)
  process.getBuiltinModule = getBuiltinModule
  return cacheFolder
}

test('caches compiled code in a private folder', () => {
  const privateHome = join(testFolder, 'of-the-user')
  assert.is(findCompileCache(privateHome, '22.3.0'), join(privateHome, 'svc'))
})

test('does not cache compiled code in a folder that other users may use', () => {
  const sharedHome = join(testFolder, 'of-all-users')
  mkdirSync(join(sharedHome, 'svc'), { recursive: true })
  chmodSync(join(sharedHome, 'svc'), 0o777)
  assert.is(findCompileCache(sharedHome, '22.3.0'), undefined)
})

test('does not cache compiled code on Node 20', () => {
  assert.is(findCompileCache(join(testFolder, 'of-the-user'), '20.20.2'), undefined)
})

test('accepts supported versions of Node', () => {
  for (const version of ['20.19.0', '20.20.2', '22.3.0', '22.10.1', '23.0.0', '24.1.0', '100.0.0'])
    assert.is(explainOldNode(version), undefined, version)
})

test('refuses versions of Node that are too old', () => {
  for (const version of ['0.12.18', '8.17.0', '18.20.8', '20.18.3', '21.7.3', '22.0.0', '22.2.0'])
    assert.match(explainOldNode(version)?.stderr ?? '', `; this is ${version}\n`)
})

test('package.json requires the versions of Node that the check accepts', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(engines, { node: '^20.19.0 || >=22.3.0' })
})

test.run()
