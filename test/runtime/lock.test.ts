import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { acquireLock, type LockOptions, touchIntervalMs } from '../../lib/runtime/node/lock'
import {
  findOwnPlace,
  formatLockLine,
  type LockHolder,
  type ProcessPlace,
  readLockFile,
} from '../../lib/runtime/node/lock-file'
import { createTemporaryFolder, root } from '../support/folders'
import { until } from '../support/until'

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
const findLockError = (path = outputPath, options: LockOptions = {}): Promise<string> =>
  acquireLock(path, options).then(
    async ({ release }) => {
      await release()
      return 'no error'
    },
    (error: Error) => error.message,
  )

/** The place of this process. */
const here = findOwnPlace()
const elsewhere = { host: 'another-host', boot: 'another-boot', namespace: 'pid:[1]' }

/** Formats the line that a process writes into the lock file. Its token is its process id. */
const formatLine = (processId: number, place: ProcessPlace = here, replaced?: LockHolder): string =>
  formatLockLine({
    process: processId,
    ...place,
    token: String(processId),
    replaces: replaced === undefined ? null : { token: replaced.token, end: replaced.end },
  })

/** Writes a lock file. `ageMs` is the time since its last touch. */
const writeLockFile = (content: string, ageMs = 0): void => {
  writeFileSync(lockPath, content)
  const touched = new Date(Date.now() - ageMs)
  utimesSync(lockPath, touched, touched)
}

/** Reads the holder of the lock from the lock file. */
const readHolder = async (): Promise<LockHolder | undefined> => {
  const state = await readLockFile(lockPath)
  return state === 'foreign' ? undefined : state.holder
}

/** Runs a process to its end and returns its id. */
const createEndedProcessId = (): number => spawnSync(process.execPath, ['--version']).pid

/** A clock whose time passes only by `advance`, which also runs the timers that are due. */
const createTestClock = () => {
  let nowMs = Date.now()
  const timers = new Map<() => void, number>()
  return {
    now: () => nowMs,
    timer: (ms: number, run: () => void) => {
      timers.set(run, nowMs + ms)
      return () => void timers.delete(run)
    },
    advance: (ms: number, runsTimers = true) => {
      nowMs += ms
      for (const [run, dueMs] of [...timers])
        if (runsTimers && dueMs <= nowMs) {
          timers.delete(run)
          run()
        }
    },
  }
}

const heldMessage = (processId: number): string =>
  `another svc is writing it (process ${processId}, lock file ${lockPath})`
const unknownMessage = (host: string): string =>
  `another svc may be writing it: process 1 of the machine or container ${host} touched its lock file ${lockPath} in the last 2 minutes; wait, or remove that file if the process has ended`
const foreignMessage = () =>
  `it cannot be locked: ${lockPath} is not a lock file of svc; remove it if you do not need it`

test('names this process and its place in the lock file, and deletes it on release', async () => {
  const { release } = await acquireLock(outputPath)
  const { process: holder, host, boot, namespace } = (await readHolder()) ?? {}
  assert.equal(
    [holder, host, boot, namespace],
    [process.pid, hostname(), here.boot, here.namespace],
  )
  await release()
  assert.is(existsSync(lockPath), false)
})

test('refuses a second lock of the same process until the first is released', async () => {
  const { release } = await acquireLock(outputPath)
  assert.is(await findLockError(), heldMessage(process.pid))
  await release()
  assert.is(await findLockError(), 'no error')
})

test('refuses the lock of another running process, and leaves the lock file unchanged', async () => {
  // The parent process is a process that is running.
  writeLockFile(formatLine(process.ppid), 600_000)
  assert.is(await findLockError(), heldMessage(process.ppid))
  assert.is(readFileSync(lockPath, 'utf8'), formatLine(process.ppid))
})

test('takes over the lock of a process that has ended', async () => {
  writeLockFile(formatLine(createEndedProcessId()))
  const { release } = await acquireLock(outputPath)
  assert.is((await readHolder())?.process, process.pid)
  await release()
  assert.is(existsSync(lockPath), false)
})

test('does not take over from an ended process if a running process has done that before', async () => {
  writeLockFile(formatLine(createEndedProcessId()))
  const ended = await readHolder()
  writeLockFile(readFileSync(lockPath, 'utf8') + formatLine(process.ppid, here, ended))
  assert.is(await findLockError(), heldMessage(process.ppid))
})

test('a process that lost a race for the lock never gets it from its line', async () => {
  const ended = formatLine(createEndedProcessId())
  writeLockFile(ended + formatLine(process.ppid))
  assert.is(await findLockError(), 'no error')
})

test('takes over the lock of a killed process with the same id in the same namespace', async () => {
  writeLockFile(formatLine(process.pid))
  assert.is(await findLockError(), 'no error')
  assert.is(existsSync(lockPath), false)
})

test('refuses the lock of a process with the same id in another namespace, boot or host, until it was not touched for 2 minutes', async () => {
  const ownPlace = { host: 'host', boot: 'boot', namespace: 'pid:[2]' }
  const places: ReadonlyArray<ProcessPlace> = [
    { ...ownPlace, namespace: 'pid:[1]' },
    { ...ownPlace, boot: 'another-boot' },
    { ...ownPlace, boot: null, host: 'another-host' },
    elsewhere,
  ]
  for (const place of places) {
    writeLockFile(formatLine(1, place), 119_000)
    assert.is(await findLockError(outputPath, { place: ownPlace }), unknownMessage(place.host))
    writeLockFile(formatLine(1, place), 121_000)
    assert.is(await findLockError(outputPath, { place: ownPlace }), 'no error')
  }
})

test('looks up a process of this boot even if the name of the host has changed, as on a laptop', async () => {
  const place = { ...here, boot: 'boot' }
  writeLockFile(formatLine(createEndedProcessId(), { ...place, host: 'old-name' }))
  assert.is(await findLockError(outputPath, { place }), 'no error')
})

test('takes over an empty lock file, whose process was killed before it wrote', async () => {
  writeLockFile('')
  assert.is(await findLockError(), 'no error')
})

test('touches the lock file every 10 seconds', async () => {
  const clock = createTestClock()
  const { release } = await acquireLock(outputPath, { place: elsewhere, clock })
  const before = statSync(lockPath).mtimeMs
  clock.advance(touchIntervalMs)
  await until(() => statSync(lockPath).mtimeMs > before + touchIntervalMs / 2)
  await release()
})

test('after standing still, the holder writes on only if nobody took over its lock', async () => {
  const clock = createTestClock()
  const lock = await acquireLock(outputPath, { clock })
  clock.advance(61_000, false)
  await lock.check()
  const holder = await readHolder()
  clock.advance(121_000, false)
  writeFileSync(lockPath, readFileSync(lockPath, 'utf8') + formatLine(1, elsewhere, holder))
  const message = await lock.check().catch((error: Error) => error.message)
  assert.is(message, `another svc took it over while this one stood still (lock file ${lockPath})`)
  await lock.release()
  assert.is((await readHolder())?.process, 1)
})

test('a takeover that was decided before the holder renewed its lock does not count', async () => {
  const clock = createTestClock()
  const lock = await acquireLock(outputPath, { clock })
  const holderBefore = await readHolder()
  clock.advance(61_000, false)
  await lock.check()
  writeFileSync(lockPath, readFileSync(lockPath, 'utf8') + formatLine(1, elsewhere, holderBefore))
  clock.advance(61_000, false)
  await lock.check()
  await lock.release()
})

test('creates its lock file again if a person removed it', async () => {
  const clock = createTestClock()
  const lock = await acquireLock(outputPath, { clock })
  rmSync(lockPath)
  clock.advance(touchIntervalMs)
  await until(() => existsSync(lockPath))
  await lock.check()
  await lock.release()
  assert.is(existsSync(lockPath), false)
})

test('never deletes the lock file of another process', async () => {
  const lock = await acquireLock(outputPath)
  writeLockFile(formatLine(1, elsewhere))
  await lock.release()
  assert.is((await readHolder())?.process, 1)
})

test('refuses a file that is not a lock file of svc, however old, and leaves it unchanged', async () => {
  const line = formatLine(1, elsewhere)
  const contents = [
    'garbage',
    '12 host\n',
    '\0',
    '{"pid":1}\n',
    '[]\n',
    line.slice(0, -5),
    `${line}x`,
  ]
  for (const content of contents) {
    writeLockFile(content, 600_000)
    assert.is(await findLockError(), foreignMessage(), content)
    assert.is(readFileSync(lockPath, 'utf8'), content)
  }
})

test('refuses a link in place of the lock file, and does not follow it', async () => {
  symlinkSync('victim', lockPath)
  assert.is(await findLockError(), foreignMessage())
  assert.ok(lstatSync(lockPath).isSymbolicLink())
  assert.is(existsSync(join(dirname(outputPath), 'victim')), false)
})

test('refuses a folder in place of the lock file', async () => {
  mkdirSync(lockPath)
  assert.is(await findLockError(), foreignMessage())
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
let lock
process.on('message', async (path) => {
  if (path === 'release') await lock.release()
  else lock = await acquireLock(path).catch(() => undefined)
  process.send(lock === undefined ? 'refused' : 'locked')
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
  const stale = formatLine(createEndedProcessId())
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
