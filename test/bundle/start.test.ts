import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/folders'
import { dist } from '../support/program'

const test = suite('bundle: the start')
const folder = join(temporaryFolder(), 'dist')
const bin = join(folder, 'bin.js')
cpSync(dist, folder, { recursive: true })
const compiledCode = join(folder, 'compiled.js.cache')

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
  spawnSync(process.execPath, [...node, bin, ...dryRun], { env: {}, encoding: 'utf8' })

test('the build compiles what a call loads, for its own Node', () => {
  const { status, stderr } = run('--import', reporter)
  assert.is(status, 0, stderr)
  assert.is(stderr, 'taken\n')
})

test('compiled code that V8 does not take changes nothing', () => {
  const { stdout } = run()
  writeFileSync(compiledCode, 'no compiled code')
  const { status, stderr, ...spoilt } = run('--import', reporter)
  assert.is(status, 0, stderr)
  assert.is(stderr, 'not taken\n')
  assert.is(spoilt.stdout, stdout)
})

test('nor does compiled code that is not there', () => {
  const { stdout } = run()
  rmSync(compiledCode)
  const { status, stderr, ...bare } = run('--import', reporter)
  assert.is(status, 0, stderr)
  assert.is(stderr, 'not taken\n')
  assert.is(bare.stdout, stdout)
})

test('behind a link that Node is told to keep it loads every file once', () => {
  const link = join(dirname(folder), 'link')
  symlinkSync(folder, link)
  for (const args of [['--help'], ['completion', 'bash']]) {
    const plain = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8' })
    const kept = ['--preserve-symlinks-main', join(link, 'bin.js'), ...args]
    const { stdout } = spawnSync(process.execPath, kept, { encoding: 'utf8' })
    assert.ok(plain.stdout.length > 100)
    assert.is(stdout, plain.stdout)
  }
})

test('on another Node than that of the build it starts too', () => {
  const { stdout } = run()
  const text = readFileSync(bin, 'utf8')
  const machine = `${process.versions.v8} ${process.platform} ${process.arch}`
  assert.ok(text.includes(machine))
  writeFileSync(bin, text.replace(machine, '0.0'))
  const { status, stderr, ...other } = run('--import', reporter)
  assert.is(status, 0, stderr)
  assert.is(stderr, '')
  assert.is(other.stdout, stdout)
})

test.run()
