import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { reasonOf } from '../../lib/runtime/node/error-reason'
import { readRegular } from '../../lib/runtime/node/regular-file'

const test = suite('runtime/regular-file')

const folder = mkdtempSync(join(tmpdir(), 'svc-regular-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string): string => join(folder, name)
mkdirSync(at('inside'))
writeFileSync(at('inside/a'), 'abcdef')
writeFileSync(at('outside'), 'secret')
symlinkSync('a', at('inside/near'))
symlinkSync('../outside', at('inside/far'))
symlinkSync('..', at('inside/up'))
symlinkSync('inside', at('folder-link'))

const { signal } = new AbortController()
const read = (path: string, options: { limit?: number; within?: string } = {}): Promise<string> =>
  readRegular(path, { limit: 100, signal, ...options }).then(
    ({ bytes, size }) => `${Buffer.from(bytes)} of ${size}`,
    reasonOf,
  )

test('reads to the end, or to one byte past the limit, and tells the whole size', async () => {
  assert.is(await read(at('inside/a')), 'abcdef of 6')
  assert.is(await read(at('inside/a'), { limit: 6 }), 'abcdef of 6')
  assert.is(await read(at('inside/a'), { limit: 2 }), 'abc of 6')
})

test('refuses folders, pipes without a writer, and devices', async () => {
  execFileSync('mkfifo', [at('pipe')])
  assert.is(await read(folder), 'is a directory')
  for (const path of [at('pipe'), '/dev/zero'])
    assert.is(await read(path), 'not a regular file', path)
})

test('links may not lead out of a folder that the path is in', async () => {
  const leaves = 'a link leads out of the folder of the configuration; --follow-links allows it'
  const within = at('inside')
  assert.is(await read(at('inside/near'), { within }), 'abcdef of 6')
  assert.is(await read(at('inside/far'), { within }), leaves)
  assert.is(await read(at('inside/up/outside'), { within }), leaves)
  assert.is(await read(at('inside/far')), 'secret of 6')
  // A path that is written as outside has not been led there by a link.
  assert.is(await read(at('inside/../outside'), { within }), 'secret of 6')
  // The folder itself may be a link.
  assert.is(await read(at('folder-link/near'), { within: at('folder-link') }), 'abcdef of 6')
})

test('stops when the signal fires', async () => {
  const aborted = AbortSignal.abort()
  const error = await readRegular(at('inside/a'), { limit: 9, signal: aborted }).catch((e) => e)
  assert.is(error.name, 'AbortError')
})

test.run()
