import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  cacheCompiledCode,
  checkNodeVersion,
  findCacheFolder,
  preparePrivateFolder,
} from '../../lib/runtime/node/before-start'
import { root } from '../support/folders'

const test = suite('runtime/before-start')
const base = mkdtempSync(join(tmpdir(), 'svc-compiled-'))
test.after(() => rmSync(base, { recursive: true, force: true }))

test('where each platform keeps such things', () => {
  const table: ReadonlyArray<
    readonly [NodeJS.Platform, Readonly<Record<string, string>>, string | undefined]
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
  for (const [platform, env, expected] of table)
    assert.is(findCacheFolder(env, platform), expected, JSON.stringify([platform, env]))
})

test('a folder that is not there is made, for the user alone', () => {
  const folder = join(base, 'cache', 'svc')
  assert.is(preparePrivateFolder(folder), true)
  assert.is(statSync(folder).mode & 0o777, 0o700)
  assert.is(preparePrivateFolder(folder), true)
})

test('a folder is not used that others can enter, that is a link, a file, or that cannot be made', () => {
  const folder = (mode: number): string => {
    const path = join(base, mode.toString(8))
    mkdirSync(path)
    chmodSync(path, mode)
    return path
  }
  for (const mode of [0o755, 0o750, 0o710, 0o702, 0o1777])
    assert.is(preparePrivateFolder(folder(mode)), false, mode.toString(8))
  symlinkSync(folder(0o700), join(base, 'link'))
  assert.is(preparePrivateFolder(join(base, 'link')), false)
  symlinkSync(join(base, 'nowhere'), join(base, 'dangling'))
  assert.is(preparePrivateFolder(join(base, 'dangling')), false)
  writeFileSync(join(base, 'file'), '')
  assert.is(preparePrivateFolder(join(base, 'file')), false)
  assert.is(preparePrivateFolder(join(base, 'file', 'svc')), false)
})

test('nor is a folder of another user', () => {
  const { geteuid } = process
  const folder = join(base, 'other')
  assert.is(preparePrivateFolder(folder), true)
  process.geteuid = () => (geteuid?.() ?? 0) + 1
  assert.is(preparePrivateFolder(folder), false)
  process.geteuid = geteuid
})

test('Node keeps compiled code in a folder of the user alone, and in no other', () => {
  const known = process.getBuiltinModule
  const folders: string[] = []
  const enableCompileCache = (folder: string) => folders.push(folder)
  process.getBuiltinModule = ((id: string) =>
    id === 'node:module' ? { enableCompileCache } : known(id)) as typeof known
  const [own, shared] = [join(base, 'own'), join(base, 'shared')]
  mkdirSync(join(shared, 'svc'), { recursive: true })
  chmodSync(join(shared, 'svc'), 0o777)
  for (const place of [own, shared]) cacheCompiledCode({ XDG_CACHE_HOME: place }, '22.3.0')
  cacheCompiledCode({ XDG_CACHE_HOME: own }, '20.20.2')
  process.getBuiltinModule = known
  assert.equal(folders, [join(own, 'svc')])
})

test('which Nodes are too old', () => {
  for (const version of ['20.19.0', '20.20.2', '22.3.0', '22.10.1', '23.0.0', '24.1.0', '100.0.0'])
    assert.is(checkNodeVersion(version), undefined, version)
  for (const version of ['0.12.18', '8.17.0', '18.20.8', '20.18.3', '21.7.3', '22.0.0', '22.2.0'])
    assert.match(checkNodeVersion(version)?.stderr ?? '', `; this is ${version}\n`)
})

test('the manifest names the same versions', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(engines, { node: '^20.19.0 || >=22.3.0' })
})

test.run()
