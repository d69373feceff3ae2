import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/folders'
import { bin, dist } from '../support/program'
import { filesLoaded, reporter } from './files-loaded'

const test = suite('bundle: the start')
const base = temporaryFolder()

const run = (env: Readonly<Record<string, string>>, ...node: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [...node, bin, 'version'], { env, encoding: 'utf8' })

const plain = run({})

/** Every file and folder below a folder; none if the folder is missing. */
const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })

/** Runs `svc version` with this cache folder. Returns the files in it afterwards. */
const kept = (cache: string, env: Readonly<Record<string, string>> = {}): ReadonlyArray<string> => {
  const { status, stdout, stderr } = run({ XDG_CACHE_HOME: cache, ...env })
  assert.equal([status, stdout, stderr], [0, plain.stdout, ''])
  return below(cache)
}

const folder = (name: string): string => {
  mkdirSync(join(base, name))
  return join(base, name)
}

/** `true` if this Node can keep compiled code, as Node 22.1 and later do. */
const canKeep = 'enableCompileCache' in nodeModule

test('keeps compiled code in a private folder of its own if Node can', () => {
  const cache = folder('cache')
  const first = kept(cache)
  assert.is(first.length > 2, canKeep)
  assert.is(below(base).includes(join('cache', 'svc')), canKeep)
  if (canKeep) assert.is(statSync(join(cache, 'svc')).mode & 0o777, 0o700)
  const modified = (name: string) => statSync(join(cache, name)).mtimeMs
  const before = first.map(modified)
  assert.equal(kept(cache), first)
  assert.equal(first.map(modified), before, 'the second run compiles nothing anew')
})

test('keeps no compiled code in a folder that other users can enter, or that is a link', () => {
  const open = folder('open')
  mkdirSync(join(open, 'svc'))
  chmodSync(join(open, 'svc'), 0o755)
  assert.equal(kept(open), ['svc'])
  const linked = folder('linked')
  symlinkSync(folder('elsewhere'), join(linked, 'svc'))
  assert.equal(kept(linked), ['svc'])
  assert.equal(below(join(base, 'elsewhere')), [])
})

test('keeps no compiled code if the user forbids it, or if there is no such folder', () => {
  assert.equal(kept(folder('disabled'), { NODE_DISABLE_COMPILE_CACHE: '1' }).slice(1), [])
  const file = join(base, 'open', 'svc', 'file')
  spawnSync('touch', [file])
  const { status, stdout, stderr } = run({ XDG_CACHE_HOME: file, HOME: base })
  assert.equal([status, stdout, stderr], [0, plain.stdout, ''])
})

test('refuses a Node that is too old before anything else is loaded', () => {
  const old = `data:text/javascript,${encodeURIComponent(`
    Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } })
    process.getBuiltinModule = undefined
  `)}`
  const { status, stdout, stderr } = run({}, '--import', reporter, '--import', old)
  const message = 'svc needs Node.js 20.19, 22.3 or newer; this is 18.20.8'
  assert.is(stdout, `{"error":{"kind":"usage","message":"${message}"}}\n`)
  assert.match(stderr, `\nsvc: ${message}\n`)
  assert.equal(filesLoaded(stderr), ['bin.js'])
  assert.is(status, 1)
})

test('prints the same when started through a link with --preserve-symlinks-main', () => {
  const link = join(base, 'link')
  symlinkSync(dist, link)
  for (const args of [['--help'], ['completion', 'bash']]) {
    const direct = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8' })
    const behind = [
      '--preserve-symlinks',
      '--preserve-symlinks-main',
      join(link, 'bin.js'),
      ...args,
    ]
    assert.ok(direct.stdout.length > 100)
    assert.is(spawnSync(process.execPath, behind, { encoding: 'utf8' }).stdout, direct.stdout)
  }
})

test.run()
