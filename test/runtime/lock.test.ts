import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { acquireLock } from '../../lib/runtime/node/lock'
import { createTemporaryFolder, root } from '../support/folders'

const test = suite('runtime/lock')

/** The path of the file that a test locks, and of its lock file. */
let output = ''
let lock = ''
test.before.each(() => {
  output = join(createTemporaryFolder(), 'run.jsonl')
  lock = `${output}.lock`
})

/** Tries to lock a file. Resolves to the message of the error. */
const findLockError = (path = output): Promise<string> =>
  acquireLock(path).then(
    () => 'no error',
    (error: Error) => error.message,
  )

/** Formats the line that a process writes into the lock file. */
const formatLockLine = (processId: number, host = hostname()): string => `${processId} ${host}\n`

/** Runs a process to its end and returns its id. */
const createEndedProcessId = (): number => spawnSync(process.execPath, ['--version']).pid

test('writes the process id and the host name into the lock file, and deletes it on release', async () => {
  const release = await acquireLock(output)
  assert.is(readFileSync(lock, 'utf8'), formatLockLine(process.pid))
  await release()
  assert.is(existsSync(lock), false)
})

test('refuses a second lock of the same process until the first is released', async () => {
  const release = await acquireLock(output)
  assert.is(
    await findLockError(),
    `another run is writing it (process ${process.pid}, lock file ${lock})`,
  )
  await release()
  await (await acquireLock(output))()
})

test('refuses the lock of another running process, and leaves the lock file unchanged', async () => {
  // The parent process is a process that is running.
  writeFileSync(lock, formatLockLine(process.ppid))
  assert.is(
    await findLockError(),
    `another run is writing it (process ${process.ppid}, lock file ${lock})`,
  )
  assert.is(readFileSync(lock, 'utf8'), formatLockLine(process.ppid))
})

test('takes over the lock of a process that has ended', async () => {
  writeFileSync(lock, formatLockLine(createEndedProcessId()))
  const release = await acquireLock(output)
  assert.match(readFileSync(lock, 'utf8'), formatLockLine(process.pid))
  await release()
  assert.is(existsSync(lock), false)
})

test('does not take over the lock of an ended process if a running process has requested it before', async () => {
  writeFileSync(lock, formatLockLine(createEndedProcessId()) + formatLockLine(process.ppid))
  assert.match(await findLockError(), `process ${process.ppid}`)
})

test('takes over the lock of a killed process with the same id, as in a restarted container', async () => {
  writeFileSync(lock, formatLockLine(process.pid))
  await (await acquireLock(output))()
  assert.is(existsSync(lock), false)
})

test('takes over an empty lock file, whose process was killed before it wrote', async () => {
  writeFileSync(lock, '')
  await (await acquireLock(output))()
})

test('asks to remove a lock file whose holder is unknown, and leaves it unchanged', async () => {
  const message = `another run may be writing it; if none is, remove ${lock}`
  const invalidContents = ['garbage', '12', '-1 x\n', '\0', '{"pid":1}\n']
  const contents = [formatLockLine(1, 'another-host'), ...invalidContents]
  for (const content of contents) {
    writeFileSync(lock, content)
    assert.is(await findLockError(), message, content)
    assert.is(readFileSync(lock, 'utf8'), content)
  }
})

test('refuses a link in place of the lock file, and does not follow it', async () => {
  const message = `another run may be writing it; if none is, remove ${lock}`
  symlinkSync('victim', lock)
  assert.is(await findLockError(), message)
  assert.ok(lstatSync(lock).isSymbolicLink())
  assert.is(existsSync(join(dirname(output), 'victim')), false)
})

test('refuses a folder in place of the lock file', async () => {
  mkdirSync(lock)
  assert.is(await findLockError(), `another run may be writing it; if none is, remove ${lock}`)
})

test('names a lock file that it cannot write', async () => {
  const folder = dirname(output)
  chmodSync(folder, 0o500)
  // root can write to every folder except those of the kernel.
  const path = process.geteuid?.() === 0 ? '/proc/run.jsonl' : output
  assert.match(
    await findLockError(path),
    /^cannot write the lock file .+\.lock: (permission denied|no such file)/,
  )
  chmodSync(folder, 0o700)
})

/**
 * A program that locks a file when it receives its path, and replies `locked` or `refused`. On the message `release` it unlocks the
 * file, and replies as before.
 */
const lockingProgram = `
import { acquireLock } from '${join(root, 'lib/runtime/node/lock.ts')}'
let release
process.on('message', async (path) => {
  if (path === 'release') await release()
  else release = await acquireLock(path).catch(() => undefined)
  process.send(release === undefined ? 'refused' : 'locked')
})
process.send('started')`

const startLockingProgram = async (): Promise<ChildProcess> => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', lockingProgram]
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  const child = spawn(process.execPath, args, { cwd: root, stdio: [...stdio] })
  await once(child, 'message')
  return child
}

/** Sends a message and resolves to the reply. */
const request = async (child: ChildProcess, message: string): Promise<unknown> => {
  const replied = once(child, 'message')
  child.send(message)
  return (await replied)[0]
}

test('gives a stale lock to only one of several processes that find it at once', async () => {
  const children = await Promise.all([
    startLockingProgram(),
    startLockingProgram(),
    startLockingProgram(),
  ])
  const stale = formatLockLine(createEndedProcessId())
  // Many rounds, because a race shows only now and then.
  for (let round = 0; round < 100; round += 1) {
    writeFileSync(lock, stale)
    const replies = await Promise.all(children.map((child) => request(child, output)))
    assert.equal([...replies].sort(), ['locked', 'refused', 'refused'])
    const winner = children[replies.indexOf('locked')]
    if (winner !== undefined) await request(winner, 'release')
  }
  for (const child of children) child.disconnect()
})

test.run()
