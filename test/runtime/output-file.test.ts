import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeOf } from '../../lib/runtime/node/error-reason'
import { openOutputFile, openReplacement } from '../../lib/runtime/node/output-file'
import { root, temporaryFolder } from '../support/folders'

const test = suite('runtime/output-file')

let folder = ''
test.before.each(() => {
  folder = temporaryFolder()
})
const at = (name: string): string => join(folder, name)

/** Opens and closes an output. Returns the code of the error, or its message if it has none; `undefined` if there is none. */
const tryToOpen = (path: string): Promise<string | undefined> =>
  openOutputFile(path).then(
    async (file) => {
      await file.close()
      return undefined
    },
    (error: Error) => codeOf(error) ?? error.message,
  )

const lockedMessage = (id: number | undefined): string =>
  `another run is writing it (process ${id}, lock file ${realpathSync(folder)}/run.lock)`

test('a file grows by what is appended, and what it had stays', async () => {
  writeFileSync(at('run'), 'one\n')
  const file = await openOutputFile(at('run'))
  assert.is(file.size, 4)
  await file.append(Buffer.from('two\n'))
  await file.truncate(2)
  await file.append(Buffer.from('three\n'))
  await file.close()
  assert.is(readFileSync(at('run'), 'utf8'), 'onthree\n')
})

test('a file cannot be opened or replaced while it is open, not by a symbolic link either', async () => {
  symlinkSync('run', at('symbolic'))
  const file = await openOutputFile(at('symbolic'))
  for (const name of ['run', 'symbolic'])
    assert.is(await tryToOpen(at(name)), lockedMessage(process.pid), name)
  const replaced = await openReplacement(at('run')).catch((error: Error) => error.message)
  assert.is(replaced, lockedMessage(process.pid))
  assert.is(await tryToOpen(at('other')), undefined)
  await file.close()
  assert.is(await tryToOpen(at('symbolic')), undefined)
  assert.equal(readdirSync(folder).sort(), ['other', 'run', 'symbolic'])
})

test('a file that cannot be opened is not left locked', async () => {
  const replacement = await openReplacement(at('run'))
  assert.is(await tryToOpen(at('run')), lockedMessage(process.pid))
  await replacement.discard()
  assert.is(await tryToOpen(join(at('run'), 'below')), 'ENOENT')
  assert.equal(readdirSync(folder), [])
})

const holding = `
import { openOutputFile } from '${join(root, 'lib/runtime/node/output-file.ts')}'
await openOutputFile(process.argv[1])
console.log('open')
setInterval(() => undefined, 1000)`

test('another process is refused, until it is killed', async () => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', holding, at('run')]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(createInterface(child.stdout), 'line')
  const code = await tryToOpen(at('run'))
  child.kill('SIGKILL')
  await once(child, 'close')
  assert.is(code, lockedMessage(child.pid))
  assert.is(await tryToOpen(at('run')), undefined)
})

test('a replacement keeps the mode and the lock of the file, also if it is opened by a link', async () => {
  writeFileSync(at('run'), 'old\n')
  chmodSync(at('run'), 0o600)
  symlinkSync('run', at('symbolic'))
  const file = await openOutputFile(at('symbolic'))
  const replacement = await file.replacement()
  await replacement.append(Buffer.from('new\n'))
  assert.is(readFileSync(at('run'), 'utf8'), 'old\n')
  const renewed = await replacement.commit()
  assert.is(await tryToOpen(at('run')), lockedMessage(process.pid))
  await renewed.append(Buffer.from('more\n'))
  await renewed.close()
  assert.is(readFileSync(at('run'), 'utf8'), 'new\nmore\n')
  assert.is(statSync(at('run')).mode & 0o777, 0o600)
  assert.equal(readdirSync(folder).sort(), ['run', 'symbolic'])
})

test('a discarded replacement is deleted, and the file stays open and locked', async () => {
  const file = await openOutputFile(at('run'))
  const replacement = await file.replacement()
  await replacement.append(Buffer.from('new\n'))
  await replacement.discard()
  assert.is(await tryToOpen(at('run')), lockedMessage(process.pid))
  await file.close()
  assert.equal(readdirSync(folder), ['run'])
})

test('the next run removes the replacements of this output that killed runs left, and no other files', async () => {
  const first = await openReplacement(at('run'))
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.tmp'))
  await first.discard()
  writeFileSync(at(name), 'half a run')
  writeFileSync(at('.svc-of-another-output.tmp'), 'another output')
  assert.is(await tryToOpen(at('run')), undefined)
  assert.equal(readdirSync(folder), ['.svc-of-another-output.tmp', 'run'])
})

test('a device has no size and is not locked', async () => {
  const [one, two] = await Promise.all([openOutputFile('/dev/null'), openOutputFile('/dev/null')])
  await one.append(Buffer.from('x'))
  assert.is(one.size + two.size, 0)
  await Promise.all([one.close(), two.close()])
  const full = await openOutputFile('/dev/full')
  const code = await full.append(Buffer.from('x')).catch((error: unknown) => codeOf(error))
  assert.is(code, 'ENOSPC')
  await full.close()
  assert.is(await tryToOpen(folder), 'EISDIR')
})

test('a pipe that nobody reads is an error, not a wait; one that is read gets all lines', async () => {
  execFileSync('mkfifo', [at('pipe')])
  assert.is(await tryToOpen(at('pipe')), 'ENXIO')
  const reader = openSync(at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK)
  const file = await openOutputFile(at('pipe'))
  assert.is(file.size, 0)
  await file.append(Buffer.from('one\n'))
  await file.append(Buffer.from('two\n'))
  await file.close()
  assert.is(readFileSync(reader, 'utf8'), 'one\ntwo\n')
  closeSync(reader)
})

test.run()
