import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { buildBundle } from '../golden/child'

const test = suite('bundle: the start')
const bundle = buildBundle()
const chunks = join(bundle.folder, 'chunks')
const caches = (): ReadonlyArray<string> =>
  readdirSync(chunks).filter((name) => name.endsWith('.cache'))

/** Tells on stderr of every script whether V8 took its compiled code. */
const reporter = `data:text/javascript,${encodeURIComponent(`
  import vm from 'node:vm'
  vm.Script = class extends vm.Script {
    constructor(text, options) {
      super(text, options)
      console.error(options.cachedData && !this.cachedDataRejected ? 'taken' : 'not taken')
    }
  }
`)}`

const dryRun = ['ask', '--dry-run', '--state', 's', '--noul', 'q=Is it?']
const run = (...node: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [...node, bundle.bin, ...dryRun], { env: {}, encoding: 'utf8' })

test('the build compiles what a call loads, for its own Node', () => {
  const { status, stderr } = run('--import', reporter)
  assert.is(status, 0, stderr)
  assert.is(stderr, 'taken\ntaken\n')
  assert.is(caches().length, 2)
})

test('compiled code that V8 does not take changes nothing', () => {
  const { stdout } = run()
  for (const name of caches()) writeFileSync(join(chunks, name), 'no compiled code')
  const { status, stderr, ...spoilt } = run('--import', reporter)
  assert.is(status, 0, stderr)
  assert.is(stderr, 'not taken\nnot taken\n')
  assert.is(spoilt.stdout, stdout)
})

test('on another Node than that of the build it starts too', () => {
  const { stdout } = run()
  const text = readFileSync(bundle.bin, 'utf8')
  assert.ok(text.includes(process.versions.v8))
  writeFileSync(bundle.bin, text.replace(process.versions.v8, '0.0'))
  const { status, stderr, ...other } = run('--import', reporter)
  assert.is(status, 0, stderr)
  assert.is(stderr, '')
  assert.is(other.stdout, stdout)
})

test.run()
