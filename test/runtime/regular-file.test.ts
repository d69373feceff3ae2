import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { reasonOf } from '../../lib/runtime/node/error-reason'
import { readRegular } from '../../lib/runtime/node/regular-file'
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
/** Returns the bytes and the size of a file, or the reason of a failure. */
const read = (path: string, options: { limit?: number; within?: string } = {}): Promise<string> =>
  readRegular(path, { limit: 100, signal, ...options }).then(
    ({ bytes, size }) => `${Buffer.from(bytes)} of ${size}`,
    reasonOf,
  )

test('reads at most one byte more than the limit, and reports the size of the whole file', async () => {
  assert.is(await read(pathOf('inside/a')), 'abcdef of 6')
  assert.is(await read(pathOf('inside/a'), { limit: 6 }), 'abcdef of 6')
  assert.is(await read(pathOf('inside/a'), { limit: 2 }), 'abc of 6')
})

test('refuses folders, pipes without a writer, and devices', async () => {
  execFileSync('mkfifo', [pathOf('pipe')])
  assert.is(await read(folder), 'is a directory')
  for (const path of [pathOf('pipe'), '/dev/zero'])
    assert.is(await read(path), 'not a regular file', path)
})

test('refuses a link that leads out of the folder', async () => {
  const refusal = 'a link leads out of the folder of the configuration; --follow-links allows it'
  const within = pathOf('inside')
  assert.is(await read(pathOf('inside/link-to-a'), { within }), 'abcdef of 6')
  assert.is(await read(pathOf('inside/link-out'), { within }), refusal)
  assert.is(await read(pathOf('inside/link-up/outside'), { within }), refusal)
  assert.is(await read(pathOf('inside/link-out')), 'secret of 6')
  // This path leaves the folder by `..`, not by a link.
  assert.is(await read(pathOf('inside/../outside'), { within }), 'secret of 6')
  // The folder itself may be a link.
  assert.is(
    await read(pathOf('folder-link/link-to-a'), { within: pathOf('folder-link') }),
    'abcdef of 6',
  )
})

test('rejects with an AbortError when the signal fires', async () => {
  const aborted = AbortSignal.abort()
  const error = await readRegular(pathOf('inside/a'), { limit: 9, signal: aborted }).catch(
    (rejection) => rejection,
  )
  assert.is(error.name, 'AbortError')
})

test.run()
