import { execFileSync } from 'node:child_process'
import { mkdirSync, promises, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { reasonOf } from '../../lib/runtime/node/error-reason'
import { readRegular } from '../../lib/runtime/node/input'
import { createTemporaryFolder } from '../support/folders'

const test = suite('runtime/regular-file')

const folder = createTemporaryFolder()
const pathOf = (name: string): string => join(folder, name)
mkdirSync(pathOf('inside'))
writeFileSync(pathOf('inside/a'), 'abcdef')
writeFileSync(pathOf('outside'), 'secret')
symlinkSync('a', pathOf('inside/link-to-a'))
symlinkSync('../outside', pathOf('inside/link-out'))
symlinkSync('..', pathOf('inside/link-up'))
symlinkSync('inside', pathOf('folder-link'))

const { signal } = new AbortController()

/** Reads a file. Returns the bytes that were read and the size of the file, such as `abc of 6`. After a failure, returns the reason. */
const describeRead = (
  path: string,
  options: { maxBytes?: number; within?: string } = {},
): Promise<string> =>
  readRegular(path, { maxBytes: 100, signal, ...options }).then(
    ({ bytes, size }) => `${Buffer.from(bytes)} of ${size}`,
    reasonOf,
  )

test('reads at most one byte more than the maximum, and reports the size of the whole file', async () => {
  assert.is(await describeRead(pathOf('inside/a')), 'abcdef of 6')
  assert.is(await describeRead(pathOf('inside/a'), { maxBytes: 6 }), 'abcdef of 6')
  assert.is(await describeRead(pathOf('inside/a'), { maxBytes: 2 }), 'abc of 6')
})

test('refuses folders, pipes without a writer, and devices', async () => {
  execFileSync('mkfifo', [pathOf('pipe')])
  assert.is(await describeRead(folder), 'is a directory')
  for (const path of [pathOf('pipe'), '/dev/zero'])
    assert.is(await describeRead(path), 'not a regular file', path)
})

const refusal = 'a link leads out of the folder of the configuration; --follow-links allows it'

test('follows a link within the folder', async () => {
  const within = pathOf('inside')
  assert.is(await describeRead(pathOf('inside/link-to-a'), { within }), 'abcdef of 6')
})

test('refuses a link that leads out of the folder', async () => {
  const within = pathOf('inside')
  assert.is(await describeRead(pathOf('inside/link-out'), { within }), refusal)
  assert.is(await describeRead(pathOf('inside/link-up/outside'), { within }), refusal)
})

test('refuses a file that was opened through a link which leads into the folder only afterwards', async () => {
  symlinkSync('../outside', pathOf('inside/swapped'))
  const { realpath } = promises
  // `readRegular` opens the file first.
  promises.realpath = (async (path: string) => {
    rmSync(pathOf('inside/swapped'))
    symlinkSync('a', pathOf('inside/swapped'))
    return realpath(path)
  }) as typeof realpath
  try {
    const within = pathOf('inside')
    assert.is(await describeRead(pathOf('inside/swapped'), { within }), refusal)
  } finally {
    promises.realpath = realpath
  }
})

test('follows every link if no folder is set', async () => {
  assert.is(await describeRead(pathOf('inside/link-out')), 'secret of 6')
})

test('reads a path that leaves the folder by `..` and not by a link', async () => {
  const path = `${folder}/inside/../outside`
  assert.is(await describeRead(path, { within: pathOf('inside') }), 'secret of 6')
})

test('accepts a folder that is a link itself', async () => {
  const within = pathOf('folder-link')
  assert.is(await describeRead(pathOf('folder-link/link-to-a'), { within }), 'abcdef of 6')
})

test('rejects with an AbortError if the signal has already fired', async () => {
  const aborted = AbortSignal.abort()
  const options = { maxBytes: 100, signal: aborted }
  const error = await readRegular(pathOf('inside/a'), options).catch((rejection) => rejection)
  assert.is(error.name, 'AbortError')
})

test.run()
