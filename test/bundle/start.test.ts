import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createTemporaryFolder } from '../support/folders'
import { binFile, distFolder } from '../support/program'
import { parseLoadedFiles, reportLoadedFiles } from './files-loaded'

const test = suite('bundle/start')

/** An empty folder for each test. */
let folder = ''
test.before.each(() => {
  folder = createTemporaryFolder()
})

/** Runs `svc version` with these variables and arguments for Node. */
const runVersion = (env: Readonly<Record<string, string>>, nodeArgs: ReadonlyArray<string> = []) =>
  spawnSync(process.execPath, [...nodeArgs, binFile, 'version'], { env, encoding: 'utf8' })

/** The output of `svc version`. */
const versionOutput = runVersion({}).stdout

/** Runs `svc version` with a cache folder, and checks its output. Returns all files and folders in the cache folder, by path. */
const listCacheAfterRun = (
  cacheFolder: string,
  env: Readonly<Record<string, string>> = {},
): ReadonlyArray<string> => {
  const { status, stdout, stderr } = runVersion({ XDG_CACHE_HOME: cacheFolder, ...env })
  assert.equal([status, stdout, stderr], [0, versionOutput, ''])
  return readdirSync(cacheFolder, { recursive: true, encoding: 'utf8' })
}

/** `true` if this Node can cache compiled code, as Node 22.8 and later can. */
const hasCompileCache = 'enableCompileCache' in nodeModule

test('caches compiled code in a private folder if Node can', () => {
  const paths = listCacheAfterRun(folder)
  assert.is(paths.includes('svc'), hasCompileCache)
  // The folder `svc` has a folder for the version of Node, and the files of the cache are in that one.
  assert.is(paths.length > 2, hasCompileCache)
  if (hasCompileCache) assert.is(statSync(join(folder, 'svc')).mode & 0o777, 0o700)
})

test('does not compile again in the second run', () => {
  const listTimes = (files: ReadonlyArray<string>) =>
    files.map((name) => [name, statSync(join(folder, name)).mtimeMs])
  const afterFirstRun = listTimes(listCacheAfterRun(folder))
  const afterSecondRun = listTimes(listCacheAfterRun(folder))
  assert.equal(afterSecondRun, afterFirstRun)
})

test('caches no compiled code in a folder that other users can enter', () => {
  mkdirSync(join(folder, 'svc'))
  chmodSync(join(folder, 'svc'), 0o755)
  assert.equal(listCacheAfterRun(folder), ['svc'])
})

test('caches no compiled code in a folder that is a link', () => {
  const target = createTemporaryFolder()
  symlinkSync(target, join(folder, 'svc'))
  assert.equal(listCacheAfterRun(folder), ['svc'])
  assert.equal(readdirSync(target), [])
})

test('caches no compiled code with NODE_DISABLE_COMPILE_CACHE', () => {
  const files = listCacheAfterRun(folder, { NODE_DISABLE_COMPILE_CACHE: '1' })
  // svc may create its folder, but writes nothing into it.
  assert.equal(
    files.filter((name) => name !== 'svc'),
    [],
  )
})

test('runs if the cache folder cannot be created', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const { status, stdout, stderr } = runVersion({ XDG_CACHE_HOME: file, HOME: folder })
  assert.equal([status, stdout, stderr], [0, versionOutput, ''])
})

test('refuses a version of Node that is too old before it loads another file', () => {
  // Node 20 and 22 have `process.getBuiltinModule`, which older versions lack.
  const pretendOldNode = `data:text/javascript,${encodeURIComponent(`
    Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } })
    process.getBuiltinModule = undefined
  `)}`
  const nodeArgs = ['--import', reportLoadedFiles, '--import', pretendOldNode]
  const { status, stdout, stderr } = runVersion({}, nodeArgs)
  const message = 'svc needs Node.js 20.19, 22.3 or newer; this is 18.20.8'
  assert.is(stdout, `{"error":{"kind":"usage","message":"${message}"}}\n`)
  assert.match(stderr, `\nsvc: ${message}\n`)
  assert.equal(parseLoadedFiles(stderr), ['bin.js'])
  assert.is(status, 1)
})

for (const args of [['--help'], ['completion', 'bash']]) {
  test(`svc ${args.join(' ')} works through a link with --preserve-symlinks-main`, () => {
    const link = join(folder, 'link')
    symlinkSync(distFolder, link)
    const runNode = (...nodeArgs: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [...nodeArgs, ...args], { encoding: 'utf8' }).stdout
    const stdoutWithoutLink = runNode(binFile)
    assert.ok(stdoutWithoutLink.length > 100)
    const flags = ['--preserve-symlinks', '--preserve-symlinks-main']
    assert.is(runNode(...flags, join(link, 'bin.js')), stdoutWithoutLink)
  })
}

test.run()
