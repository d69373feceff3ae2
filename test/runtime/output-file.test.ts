import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeOf, reasonOf } from '../../lib/runtime/node/error-reason'
import { lock } from '../../lib/runtime/node/lock'
import { openOutput } from '../../lib/runtime/node/output-file'
import { root, temporaryFolder } from '../support/folders'

const test = suite('runtime/output-file')

let folder = ''
test.before.each(() => {
  folder = temporaryFolder()
})
const at = (name: string): string => join(folder, name)

const codeWhenOpened = (path: string): Promise<string | undefined> =>
  openOutput(path).then(
    async (file) => {
      await file.close()
      return undefined
    },
    (error: unknown) => codeOf(error),
  )

test('a file grows by what is appended, and what it had stays', async () => {
  writeFileSync(at('run'), 'one\n')
  const file = await openOutput(at('run'))
  assert.is(file.size, 4)
  await file.append(Buffer.from('two\n'))
  await file.truncate(2)
  await file.append(Buffer.from('three\n'))
  await file.close()
  assert.is(readFileSync(at('run'), 'utf8'), 'onthree\n')
})

test('nobody else can open it meanwhile, not by a link either', async () => {
  const file = await openOutput(at('run'))
  symlinkSync('run', at('symbolic'))
  linkSync(at('run'), at('hard'))
  for (const name of ['run', 'symbolic', 'hard'])
    assert.is(await codeWhenOpened(at(name)), 'ELOCKED', name)
  assert.is(await codeWhenOpened(at('other')), undefined)
  assert.is(reasonOf(Object.assign(new Error(), { code: 'ELOCKED' })), 'another run is writing it')
  await file.close()
  assert.is(await codeWhenOpened(at('symbolic')), undefined)
})

test('a lock is a socket in a folder of the user alone; without one it is a socket without a file', async () => {
  for (const folders of [[at('locks')], []]) {
    const release = await lock('name', folders)
    assert.is(await lock('name', folders), undefined)
    const other = await lock('other', folders)
    await release?.()
    await (await lock('name', folders))?.()
    await other?.()
  }
  // Versions of Node differ in how they pad an address that is shorter than the longest one.
  const release = await lock('name', [])
  assert.match(readFileSync('/proc/net/unix', 'utf8'), /@svc-output-(?=.{96}$)\d+-[0-9a-f]{24}-+$/m)
  await release?.()
  assert.is(statSync(at('locks')).mode & 0o777, 0o700)
  assert.equal(readdirSync(at('locks')), [])
})

const holding = `
import { openOutput } from '${join(root, 'lib/runtime/node/output-file.ts')}'
await openOutput(process.argv[1])
console.log('open')
setInterval(() => undefined, 1000)`

test('another process is refused, until it is killed', async () => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', holding, at('run')]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(createInterface(child.stdout), 'line')
  const code = await codeWhenOpened(at('run'))
  child.kill('SIGKILL')
  await once(child, 'close')
  assert.is(code, 'ELOCKED')
  assert.is(await codeWhenOpened(at('run')), undefined)
})

test('a new file takes its place whole and locked, with its mode, behind a link too', async () => {
  writeFileSync(at('run'), 'old\n')
  chmodSync(at('run'), 0o600)
  symlinkSync('run', at('symbolic'))
  const file = await openOutput(at('symbolic'))
  const replacement = await file.replacement()
  await replacement.append(Buffer.from('new\n'))
  assert.is(readFileSync(at('run'), 'utf8'), 'old\n')
  const renewed = await replacement.commit()
  await file.close()
  assert.is(await codeWhenOpened(at('run')), 'ELOCKED')
  await renewed.append(Buffer.from('more\n'))
  await renewed.close()
  assert.is(readFileSync(at('run'), 'utf8'), 'new\nmore\n')
  assert.is(statSync(at('run')).mode & 0o777, 0o600)
  assert.equal(readdirSync(folder).sort(), ['run', 'symbolic'])
})

test('a new file that is given up leaves nothing behind', async () => {
  const file = await openOutput(at('run'))
  const replacement = await file.replacement()
  await replacement.append(Buffer.from('new\n'))
  await replacement.discard()
  await file.close()
  assert.equal(readdirSync(folder), ['run'])
})

test('the next run removes the new files that killed runs left beside this output, and no others', async () => {
  const file = await openOutput(at('run'))
  const living = await file.replacement()
  const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.tmp'))
  const leftOver = name.replace(/[0-9a-f]{12}\.tmp$/, '000000000000.tmp')
  writeFileSync(at(leftOver), 'half a run')
  writeFileSync(at('.svc-of-another-output.tmp'), 'kept')
  const other = await file.replacement()
  assert.equal(readdirSync(folder).includes(leftOver), false)
  assert.ok(existsSync(at(name)) && existsSync(at('.svc-of-another-output.tmp')))
  await other.discard()
  await living.discard()
  await file.close()
})

test('the file that is locked is the one at the path, even where that was just replaced', async () => {
  const first = await openOutput(at('run'))
  writeFileSync(at('next'), 'next\n')
  renameSync(at('next'), at('run'))
  const second = await openOutput(at('run'))
  assert.is(second.size, 5)
  await Promise.all([first.close(), second.close()])
})

test('a file that is replaced while it is opened is opened again', async () => {
  writeFileSync(at('next'), 'next\n')
  const isOpen = (): boolean =>
    readdirSync('/proc/self/fd').some((fd) => {
      const path = join('/proc/self/fd', fd)
      return existsSync(path) && readlinkSync(path) === realpathSync(at('run'))
    })
  const opening = openOutput(at('run'))
  while (!existsSync(at('run')) || !isOpen()) await setImmediate()
  renameSync(at('next'), at('run'))
  const file = await opening
  assert.is(file.size, 5)
  await file.close()
})

test('a device has no size and is not locked', async () => {
  const [one, two] = await Promise.all([openOutput('/dev/null'), openOutput('/dev/null')])
  await one.append(Buffer.from('x'))
  assert.is(one.size + two.size, 0)
  await Promise.all([one.close(), two.close()])
  const full = await openOutput('/dev/full')
  const code = await full.append(Buffer.from('x')).catch((error: unknown) => codeOf(error))
  assert.is(code, 'ENOSPC')
  await full.close()
  assert.is(await codeWhenOpened(folder), 'EISDIR')
})

test('a pipe that nobody reads is an error, not a wait; one that is read gets all lines', async () => {
  execFileSync('mkfifo', [at('pipe')])
  assert.is(await codeWhenOpened(at('pipe')), 'ENXIO')
  const reader = openSync(at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK)
  const file = await openOutput(at('pipe'))
  assert.is(file.size, 0)
  await file.append(Buffer.from('one\n'))
  await file.append(Buffer.from('two\n'))
  await file.close()
  assert.is(readFileSync(reader, 'utf8'), 'one\ntwo\n')
  closeSync(reader)
})

test.run()
