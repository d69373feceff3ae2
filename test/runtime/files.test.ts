import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { reasonOf } from '../../lib/runtime/node/error-reason'
import { nodeFiles } from '../../lib/runtime/node/files'
import { temporaryFolder } from '../support/folders'

const test = suite('runtime/files')

let folder = ''
test.before.each(() => {
  folder = temporaryFolder()
})
const at = (name: string): string => join(folder, name)

const failing = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing failed',
    (error: unknown) => reasonOf(error),
  )

test('reads a file whole, or to one byte past a limit', async () => {
  writeFileSync(at('a'), 'abcdef')
  const read = async (limit?: number) =>
    Buffer.from(await nodeFiles.read(at('a'), limit)).toString()
  assert.is(await read(), 'abcdef')
  assert.is(await read(6), 'abcdef')
  assert.is(await read(5), 'abcdef')
  assert.is(await read(4), 'abcde')
  assert.is(await read(0), 'a')
  writeFileSync(at('empty'), '')
  assert.is((await nodeFiles.read(at('empty'))).length, 0)
})

test('reads more than one block, and files that have no size', async () => {
  const big = Buffer.alloc(3 * (1 << 20) + 7, 'x')
  writeFileSync(at('big'), big)
  assert.ok(big.equals(await nodeFiles.read(at('big'))))
  if (process.platform === 'linux') {
    assert.match(Buffer.from(await nodeFiles.read('/proc/self/status')).toString(), 'Name:')
  }
  assert.is((await nodeFiles.read('/dev/zero', 3 << 20)).length, (3 << 20) + 1)
})

test('reads a named pipe, also when its writer comes late', async () => {
  execFileSync('mkfifo', [at('pipe')])
  const reading = nodeFiles.read(at('pipe'))
  // Nothing tells that a read waits for its writer: this one is late on purpose.
  setTimeout(() => execFileSync('sh', ['-c', 'echo late > "$0"', at('pipe')]), 100)
  assert.is(Buffer.from(await reading).toString(), 'late\n')
})

test('says why it cannot read', async () => {
  assert.is(await failing(nodeFiles.read(at('none'))), 'no such file or directory')
  assert.is(await failing(nodeFiles.read(folder)), 'is a directory')
  writeFileSync(at('a'), '')
  assert.is(await failing(nodeFiles.read(join(at('a'), 'b'))), 'not a directory')
  assert.is(await failing(nodeFiles.read('a\0b')), 'invalid argument')
})

test('creates with a mode, and only what is not there', async () => {
  const mask = process.umask(0)
  await nodeFiles.create(at('new'), 'x', 0o644).finally(() => process.umask(mask))
  assert.is(statSync(at('new')).mode & 0o777, 0o644)
  assert.is(await failing(nodeFiles.create(at('new'), 'y', 0o644)), 'file exists')
  assert.is(readFileSync(at('new'), 'utf8'), 'x')
  symlinkSync(at('elsewhere'), at('link'))
  assert.is(await failing(nodeFiles.create(at('link'), 'y', 0o644)), 'file exists')
  assert.is(
    await failing(nodeFiles.create(join(at('no'), 'x'), '', 0o644)),
    'no such file or directory',
  )
})

test('replaces in one step and leaves nothing beside', async () => {
  await nodeFiles.replace(at('report'), 'one')
  chmodSync(at('report'), 0o640)
  await nodeFiles.replace(at('report'), Buffer.from('two'))
  assert.is(readFileSync(at('report'), 'utf8'), 'two')
  assert.is(statSync(at('report')).mode & 0o777, 0o640)
  assert.equal(readdirSync(folder), ['report'])
})

test('replaces what a link points to, and writes to a device instead of replacing it', async () => {
  writeFileSync(at('real'), 'one')
  symlinkSync(at('real'), at('link'))
  await nodeFiles.replace(at('link'), 'two')
  assert.is(readFileSync(at('real'), 'utf8'), 'two')
  assert.equal(readdirSync(folder).sort(), ['link', 'real'])
  await nodeFiles.replace('/dev/null', 'gone')
  assert.ok(statSync('/dev/null').isCharacterDevice())
})

test('a replacement that fails leaves the old file and nothing beside', async () => {
  mkdirSync(at('d'))
  assert.is(await failing(nodeFiles.replace(at('d'), 'x')), 'is a directory')
  assert.is(await failing(nodeFiles.replace(join(at('no'), 'x'), 'x')), 'no such file or directory')
  assert.equal(readdirSync(folder), ['d'])
})

test('tells beforehand whether a file can be written', async () => {
  writeFileSync(at('old'), 'kept')
  await nodeFiles.checkWritable(at('old'))
  await nodeFiles.checkWritable(at('new'))
  assert.equal(readdirSync(folder), ['old'])
  assert.is(readFileSync(at('old'), 'utf8'), 'kept')
  assert.is(await failing(nodeFiles.checkWritable(folder)), 'is a directory')
  assert.is(
    await failing(nodeFiles.checkWritable(join(at('no'), 'x'))),
    'no such file or directory',
  )
  assert.is(await failing(nodeFiles.checkWritable(join(at('old'), 'x'))), 'not a directory')
})

test('appends', async () => {
  await nodeFiles.append(at('log'), 'a')
  await nodeFiles.append(at('log'), 'b')
  assert.is(readFileSync(at('log'), 'utf8'), 'ab')
})

test('a pipe that nobody reads is an error, not a wait', async () => {
  execFileSync('mkfifo', [at('unread')])
  const reason = 'no such device or address'
  assert.is(await failing(nodeFiles.append(at('unread'), 'x')), reason)
  assert.is(await failing(nodeFiles.replace(at('unread'), 'x')), reason)
})

test('one that somebody reads gets all of it', async () => {
  execFileSync('mkfifo', [at('read')])
  const reading = nodeFiles.read(at('read'))
  const text = 'x'.repeat(1 << 18)
  for (;;) {
    const failed = await failing(nodeFiles.replace(at('read'), text))
    if (failed === 'nothing failed') break
    assert.is(failed, 'no such device or address')
  }
  assert.is(Buffer.from(await reading).toString(), text)
})

test('tells one file by all its names, and files that are not there yet', async () => {
  writeFileSync(at('a'), '')
  symlinkSync('a', at('soft'))
  symlinkSync('new', at('dangling'))
  const same = async (one: string, other: string): Promise<boolean> =>
    (await nodeFiles.realPath(at(one))) === (await nodeFiles.realPath(at(other)))
  for (const name of ['a', './a', 'soft']) assert.ok(await same('a', name), name)
  for (const name of ['new', './new', 'dangling']) assert.ok(await same('new', name), name)
  assert.not.ok(await same('a', 'new'))
  assert.is(await failing(nodeFiles.realPath(at('none/x'))), 'no such file or directory')
})

test('keeps what has no other place where only the user can read it', async () => {
  const path = await nodeFiles.saveTemporary('report.json', '[]')
  assert.is(readFileSync(path, 'utf8'), '[]')
  assert.is(statSync(path).mode & 0o777, 0o600)
  rmSync(dirname(path), { recursive: true })
})

test.run()
