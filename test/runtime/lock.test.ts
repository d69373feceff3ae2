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

/** The path of the file that a test locks. */
let outputPath = ''
/** The path of the lock file for this file. */
let lockPath = ''
test.before.each(() => {
  outputPath = join(createTemporaryFolder(), 'run.jsonl')
  lockPath = `${outputPath}.lock`
})

/** Tries to lock a file. Resolves to the message of the error. */
const findLockError = (path = outputPath): Promise<string> =>
  acquireLock(path).then(
    () => 'no error',
    (error: Error) => error.message,
  )

/** Formats the line that a process writes into the lock file. */
const formatLockLine = (processId: number, host = hostname()): string => `${processId} ${host}\n`

/** Runs a process to its end and returns its id. */
const createEndedProcessId = (): number => spawnSync(process.execPath, ['--version']).pid

test('writes the process id and the host name into the lock file, and deletes it on release', async () => {
  const release = await acquireLock(outputPath)
  assert.is(readFileSync(lockPath, 'utf8'), formatLockLine(process.pid))
  await release()
  assert.is(existsSync(lockPath), false)
})

test('refuses a second lock of the same process until the first is released', async () => {
  const release = await acquireLock(outputPath)
  assert.is(
    await findLockError(),
    `another run is writing it (process ${process.pid}, lock file ${lockPath})`,
  )
  await release()
  await (await acquireLock(outputPath))()
})

test('refuses the lock of another running process, and leaves the lock file unchanged', async () => {
  // The parent process is a process that is running.
  writeFileSync(lockPath, formatLockLine(process.ppid))
  assert.is(
    await findLockError(),
    `another run is writing it (process ${process.ppid}, lock file ${lockPath})`,
  )
  assert.is(readFileSync(lockPath, 'utf8'), formatLockLine(process.ppid))
})

test('takes over the lock of a process that has ended', async () => {
  writeFileSync(lockPath, formatLockLine(createEndedProcessId()))
  const release = await acquireLock(outputPath)
  assert.match(readFileSync(lockPath, 'utf8'), formatLockLine(process.pid))
  await release()
  assert.is(existsSync(lockPath), false)
})

test('does not take over the lock of an ended process if a running process has requested it before', async () => {
  writeFileSync(lockPath, formatLockLine(createEndedProcessId()) + formatLockLine(process.ppid))
  assert.match(await findLockError(), `process ${process.ppid}`)
})

test('takes over the lock of a killed process with the same id, as in a restarted container', async () => {
  writeFileSync(lockPath, formatLockLine(process.pid))
  await (await acquireLock(outputPath))()
  assert.is(existsSync(lockPath), false)
})

test('takes over an empty lock file, whose process was killed before it wrote', async () => {
  writeFileSync(lockPath, '')
  await (await acquireLock(outputPath))()
})

test('asks to remove a lock file whose holder is unknown, and leaves it unchanged', async () => {
  const message = `another run may be writing it; if none is, remove ${lockPath}`
  const invalidContents = ['garbage', '12', '-1 x\n', '\0', '{"pid":1}\n']
  const contents = [formatLockLine(1, 'another-host'), ...invalidContents]
  for (const content of contents) {
    writeFileSync(lockPath, content)
    assert.is(await findLockError(), message, content)
    assert.is(readFileSync(lockPath, 'utf8'), content)
  }
})

test('refuses a link in place of the lock file, and does not follow it', async () => {
  const message = `another run may be writing it; if none is, remove ${lockPath}`
  symlinkSync('victim', lockPath)
  assert.is(await findLockError(), message)
  assert.ok(lstatSync(lockPath).isSymbolicLink())
  assert.is(existsSync(join(dirname(outputPath), 'victim')), false)
})

test('refuses a folder in place of the lock file', async () => {
  mkdirSync(lockPath)
  assert.is(await findLockError(), `another run may be writing it; if none is, remove ${lockPath}`)
})

test('names a lock file that it cannot write', async () => {
  const folder = dirname(outputPath)
  chmodSync(folder, 0o500)
  // root can write to every folder except those of the kernel.
  const path = process.geteuid?.() === 0 ? '/proc/run.jsonl' : outputPath
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
    writeFileSync(lockPath, stale)
    const replies = await Promise.all(children.map((child) => request(child, outputPath)))
    assert.equal([...replies].sort(), ['locked', 'refused', 'refused'])
    const winner = children[replies.indexOf('locked')]
    if (winner !== undefined) await request(winner, 'release')
  }
  for (const child of children) child.disconnect()
})

test.run()
