import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeFiles } from '../../lib/runtime/node/files'
import { refuseReservedName, renameFile, replaceFile } from '../../lib/runtime/node/replace-file'
import { createTemporaryFolder } from '../support/folders'

const test = suite('runtime/replace-file')

let folder = ''
test.before.each(() => {
  folder = createTemporaryFolder()
})
const pathOf = (name: string): string => join(folder, name)

/** A clock whose time passes only while a function sleeps. `onSleep` gets the number of the sleep, from 1. */
const createSleepingClock = (onSleep: (count: number) => void) => {
  let nowMs = 0
  let count = 0
  return {
    monotonic: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms
      count += 1
      onSleep(count)
    },
    count: () => count,
  }
}

/** Renaming a file to the path of the folder that it is in fails with one of these codes, depending on the system. */
const busyFolder = () => {
  mkdirSync(pathOf('in'))
  writeFileSync(pathOf('in/new'), '')
  return { from: '/', to: pathOf('in') }
}

test('tries a rename again while the target is busy, for 2 seconds', async () => {
  const { from, to } = busyFolder()
  const clock = createSleepingClock(() => undefined)
  const error = await renameFile(from, to, clock).catch((rejection) => rejection)
  assert.ok(['EBUSY', 'EPERM', 'EACCES'].includes(error.code), error.code)
  assert.is(clock.monotonic(), 2000)
})

test('does not try again after another error', async () => {
  const clock = createSleepingClock(() => undefined)
  const error = await renameFile(pathOf('absent'), pathOf('new'), clock).catch((reason) => reason)
  assert.is(error.code, 'ENOENT')
  assert.is(clock.count(), 0)
})

test('replaces a file and leaves nothing else', async () => {
  writeFileSync(pathOf('report'), 'old')
  await replaceFile(pathOf('report'), 'new')
  assert.is(readFileSync(pathOf('report'), 'utf8'), 'new')
  assert.equal(readdirSync(folder), ['report'])
})

test('replaces no file that a run has locked, and says so before the work', async () => {
  const run = await nodeFiles.openOutput(pathOf('run'))
  await run.append(Buffer.from('an answer\n'))
  const describe = (operation: Promise<void>) =>
    operation.then(
      () => 'no error',
      (error: Error) => error.message,
    )
  const message = `another svc is writing it (process ${process.pid}, lock file ${realpathSync(folder)}/run.lock)`
  assert.is(await describe(nodeFiles.checkWritable(pathOf('run'))), message)
  assert.is(await describe(nodeFiles.replace(pathOf('run'), 'a table')), message)
  await run.close()
  assert.is(readFileSync(pathOf('run'), 'utf8'), 'an answer\n')
})

test('replaces a file that it has locked, with the same mode', async () => {
  writeFileSync(pathOf('table'), 'old', { mode: 0o600 })
  const locked = await nodeFiles.lock(pathOf('table'))
  await locked.replace('new')
  await locked.release()
  assert.is(readFileSync(pathOf('table'), 'utf8'), 'new')
  assert.is(statSync(pathOf('table')).mode & 0o777, 0o600)
  assert.equal(readdirSync(folder), ['table'])
})

for (const name of [
  'NUL',
  'nul',
  'con.html',
  'AUX.tar.gz',
  'com1',
  'LPT9 .txt',
  'out/nul',
  'C:\\x\\prn',
])
  test(`refuses ${name} as an output on Windows, and only there`, () => {
    assert.throws(() => refuseReservedName(name, 'win32'), /is the name of a device on Windows/)
    refuseReservedName(name, 'linux')
  })

test('allows names that only look like those of devices', () => {
  for (const name of ['null', 'console.html', 'nul-1', 'com10', 'nul/run.jsonl', 'x.nul'])
    refuseReservedName(name, 'win32')
})

test.run()
