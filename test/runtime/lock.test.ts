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
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { acquireLock } from '../../lib/runtime/node/lock'
import { root, temporaryFolder } from '../support/folders'

const test = suite('runtime/lock')

let output = ''
let lock = ''
test.before.each(() => {
  output = join(temporaryFolder(), 'run.jsonl')
  lock = `${output}.lock`
})

/** Returns the message of the error if the lock is refused. */
const refuse = async (): Promise<string> => {
  const result = await acquireLock(output).catch((error: Error) => error.message)
  return typeof result === 'string' ? result : 'the lock was acquired'
}

const formatLine = (id: number | undefined, host = hostname()): string => `${id} ${host}\n`

/** Returns the id of a process that has ended. */
const findEndedId = (): number => spawnSync(process.execPath, ['--version']).pid

test('a lock file holds the process id and the host name, until it is released', async () => {
  const release = await acquireLock(output)
  assert.is(readFileSync(lock, 'utf8'), formatLine(process.pid))
  await release()
  assert.is(existsSync(lock), false)
})

test('a process cannot lock a file twice', async () => {
  const release = await acquireLock(output)
  assert.is(await refuse(), `another run is writing it (process ${process.pid}, lock file ${lock})`)
  await release()
  await (await acquireLock(output))()
})

test('the lock of another running process is refused and stays unchanged', async () => {
  writeFileSync(lock, formatLine(process.ppid))
  assert.is(
    await refuse(),
    `another run is writing it (process ${process.ppid}, lock file ${lock})`,
  )
  assert.is(readFileSync(lock, 'utf8'), formatLine(process.ppid))
})

test('the lock of a process that has ended is taken over', async () => {
  writeFileSync(lock, formatLine(findEndedId()))
  const release = await acquireLock(output)
  assert.match(readFileSync(lock, 'utf8'), formatLine(process.pid))
  await release()
  assert.is(existsSync(lock), false)
})

test('the first running process holds the lock of one that has ended', async () => {
  writeFileSync(lock, formatLine(findEndedId()) + formatLine(process.ppid))
  assert.match(await refuse(), `process ${process.ppid}`)
})

test('the lock of a killed process with the same id is taken over, as in a restarted container', async () => {
  writeFileSync(lock, formatLine(process.pid))
  await (await acquireLock(output))()
  assert.is(existsSync(lock), false)
})

test('an empty lock file, whose process was killed before it wrote, is taken over', async () => {
  writeFileSync(lock, '')
  await (await acquireLock(output))()
})

test('if the holder cannot be known, the message names the file to remove, which stays unchanged', async () => {
  const message = `another run may be writing it; if none is, remove ${lock}`
  const contents = [formatLine(1, 'another-host'), 'garbage', '12', '-1 x\n', '\0', '{"pid":1}\n']
  for (const content of contents) {
    writeFileSync(lock, content)
    assert.is(await refuse(), message, content)
    assert.is(readFileSync(lock, 'utf8'), content)
  }
})

test('a folder or a link at the name of the lock file is refused, and the link not followed', async () => {
  const message = `another run may be writing it; if none is, remove ${lock}`
  symlinkSync('victim', lock)
  assert.is(await refuse(), message)
  assert.ok(lstatSync(lock).isSymbolicLink())
  assert.is(existsSync(join(output, '..', 'victim')), false)
  output = join(output, '..', 'other')
  mkdirSync(`${output}.lock`)
  assert.is(await refuse(), `another run may be writing it; if none is, remove ${output}.lock`)
})

test('a lock file that cannot be written is named', async () => {
  const folder = join(output, '..')
  chmodSync(folder, 0o500)
  // The superuser may write to every folder but those of the system.
  if (process.geteuid?.() === 0) output = '/proc/run.jsonl'
  assert.match(
    await refuse(),
    /^cannot write the lock file .+\.lock: (permission denied|no such file)/,
  )
  chmodSync(folder, 0o700)
})

/** A program that locks each file whose path it receives, and replies with what came of it. `release` unlocks the file. */
const contender = `
import { acquireLock } from '${join(root, 'lib/runtime/node/lock.ts')}'
let release
process.on('message', async (path) => {
  if (path === 'release') await release()
  else release = await acquireLock(path).catch(() => undefined)
  process.send(release === undefined ? 'refused' : 'locked')
})
process.send('started')`

const startContender = async (): Promise<ChildProcess> => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', contender]
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  const child = spawn(process.execPath, args, { cwd: root, stdio: [...stdio] })
  await once(child, 'message')
  return child
}

const send = async (child: ChildProcess, message: string): Promise<unknown> => {
  const replied = once(child, 'message')
  child.send(message)
  return (await replied)[0]
}

test('of several processes that find a stale lock at the same time, one gets it', async () => {
  const children = await Promise.all([startContender(), startContender(), startContender()])
  const stale = formatLine(findEndedId())
  for (let round = 0; round < 100; round += 1) {
    writeFileSync(lock, stale)
    const replies = await Promise.all(children.map((child) => send(child, output)))
    assert.equal([...replies].sort(), ['locked', 'refused', 'refused'])
    const winner = children[replies.indexOf('locked')]
    if (winner !== undefined) await send(winner, 'release')
  }
  for (const child of children) child.disconnect()
})

test.run()
