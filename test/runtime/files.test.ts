import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
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
import { createTemporaryFolder } from '../support/folders'

const test = suite('runtime/files')

let folder = ''
test.before.each(() => {
  folder = createTemporaryFolder()
})
const pathOf = (name: string): string => join(folder, name)

/** Resolves to the reason why `work` rejects, or to `no failure`. */
const findReason = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no failure',
    (error: unknown) => reasonOf(error),
  )

test('reads at most one byte more than the maximum', async () => {
  writeFileSync(pathOf('a'), 'abcdef')
  const read = async (maxBytes?: number) =>
    Buffer.from(await nodeFiles.read(pathOf('a'), maxBytes)).toString()
  assert.is(await read(), 'abcdef')
  assert.is(await read(6), 'abcdef')
  assert.is(await read(5), 'abcdef')
  assert.is(await read(4), 'abcde')
  assert.is(await read(0), 'a')
  writeFileSync(pathOf('empty'), '')
  assert.is((await nodeFiles.read(pathOf('empty'))).length, 0)
})

test('reads a file of several blocks', async () => {
  // A block has at most 256 KiB, so these are three blocks and a short one.
  const content = Buffer.alloc(3 * (256 << 10) + 7, 'x')
  writeFileSync(pathOf('big'), content)
  assert.ok(content.equals(await nodeFiles.read(pathOf('big'))))
})

test('reads files of /proc, whose size is 0', async () => {
  if (process.platform !== 'linux') return
  assert.match(Buffer.from(await nodeFiles.read('/proc/self/status')).toString(), 'Name:')
})

test('reads a device, which has no end, up to one byte more than the maximum', async () => {
  const maxBytes = 3 << 20
  assert.is((await nodeFiles.read('/dev/zero', maxBytes)).length, maxBytes + 1)
})

test('waits for the writer of a named pipe', async () => {
  execFileSync('mkfifo', [pathOf('pipe')])
  const reading = nodeFiles.read(pathOf('pipe'))
  // A test cannot see when `read` begins to wait, so the text is written after 100 ms.
  setTimeout(() => execFileSync('sh', ['-c', 'echo late > "$0"', pathOf('pipe')]), 100)
  assert.is(Buffer.from(await reading).toString(), 'late\n')
})

test('reports why it cannot read', async () => {
  assert.is(await findReason(nodeFiles.read(pathOf('none'))), 'no such file or directory')
  assert.is(await findReason(nodeFiles.read(folder)), 'is a directory')
  writeFileSync(pathOf('a'), '')
  assert.is(await findReason(nodeFiles.read(join(pathOf('a'), 'b'))), 'not a directory')
  assert.is(await findReason(nodeFiles.read('a\0b')), 'invalid argument')
})

test('creates a file with a mode', async () => {
  // The usual mask of a process would change the mode.
  const mask = process.umask(0)
  await nodeFiles.create(pathOf('new'), 'x', 0o644).finally(() => process.umask(mask))
  assert.is(statSync(pathOf('new')).mode & 0o777, 0o644)
  assert.is(readFileSync(pathOf('new'), 'utf8'), 'x')
})

test('never replaces a file or a link by a new file', async () => {
  writeFileSync(pathOf('old'), 'x')
  assert.is(await findReason(nodeFiles.create(pathOf('old'), 'y', 0o644)), 'file exists')
  assert.is(readFileSync(pathOf('old'), 'utf8'), 'x')
  symlinkSync(pathOf('elsewhere'), pathOf('link'))
  assert.is(await findReason(nodeFiles.create(pathOf('link'), 'y', 0o644)), 'file exists')
})

test('creates no file in a missing folder', async () => {
  const path = join(pathOf('missing'), 'new')
  assert.is(await findReason(nodeFiles.create(path, '', 0o644)), 'no such file or directory')
})

test('replaces a file, keeps its mode, and leaves no temporary file', async () => {
  await nodeFiles.replace(pathOf('report'), 'one')
  chmodSync(pathOf('report'), 0o640)
  await nodeFiles.replace(pathOf('report'), Buffer.from('two'))
  assert.is(readFileSync(pathOf('report'), 'utf8'), 'two')
  assert.is(statSync(pathOf('report')).mode & 0o777, 0o640)
  assert.equal(readdirSync(folder), ['report'])
})

test('replaces the target of a link, not the link', async () => {
  writeFileSync(pathOf('real'), 'one')
  symlinkSync(pathOf('real'), pathOf('link'))
  await nodeFiles.replace(pathOf('link'), 'two')
  assert.is(readFileSync(pathOf('real'), 'utf8'), 'two')
  assert.ok(lstatSync(pathOf('link')).isSymbolicLink())
  assert.equal(readdirSync(folder).sort(), ['link', 'real'])
})

test('writes to a device instead of replacing it', async () => {
  await nodeFiles.replace('/dev/null', 'gone')
  assert.ok(statSync('/dev/null').isCharacterDevice())
})

test('leaves no temporary file if a replacement fails', async () => {
  mkdirSync(pathOf('sub-folder'))
  assert.is(await findReason(nodeFiles.replace(pathOf('sub-folder'), 'x')), 'is a directory')
  const path = join(pathOf('missing'), 'new')
  assert.is(await findReason(nodeFiles.replace(path, 'x')), 'no such file or directory')
  assert.equal(readdirSync(folder), ['sub-folder'])
})

test('accepts a file that can be written, and changes nothing', async () => {
  writeFileSync(pathOf('old'), 'old content')
  await nodeFiles.checkWritable(pathOf('old'))
  await nodeFiles.checkWritable(pathOf('new'))
  assert.equal(readdirSync(folder), ['old'])
  assert.is(readFileSync(pathOf('old'), 'utf8'), 'old content')
})

test('reports why a file cannot be written', async () => {
  writeFileSync(pathOf('old'), '')
  const findCheckReason = (path: string) => findReason(nodeFiles.checkWritable(path))
  assert.is(await findCheckReason(folder), 'is a directory')
  assert.is(await findCheckReason(join(pathOf('missing'), 'x')), 'no such file or directory')
  assert.is(await findCheckReason(join(pathOf('old'), 'x')), 'not a directory')
})

test('appends to a file', async () => {
  await nodeFiles.append(pathOf('log'), 'a')
  await nodeFiles.append(pathOf('log'), 'b')
  assert.is(readFileSync(pathOf('log'), 'utf8'), 'ab')
})

/** The reason why svc cannot open a named pipe that no program reads: `ENXIO`. */
const noReader = 'no such device or address'

test('fails if no program reads a named pipe, instead of waiting', async () => {
  execFileSync('mkfifo', [pathOf('pipe')])
  assert.is(await findReason(nodeFiles.append(pathOf('pipe'), 'x')), noReader)
  assert.is(await findReason(nodeFiles.replace(pathOf('pipe'), 'x')), noReader)
})

test('writes all data to a named pipe that a program reads', async () => {
  execFileSync('mkfifo', [pathOf('pipe')])
  const reading = nodeFiles.read(pathOf('pipe'))
  // A pipe holds 64 KiB.
  const text = 'x'.repeat(256 << 10)
  // The write fails until `read` has opened the pipe.
  for (;;) {
    const reason = await findReason(nodeFiles.replace(pathOf('pipe'), text))
    if (reason === 'no failure') break
    assert.is(reason, noReader)
  }
  assert.is(Buffer.from(await reading).toString(), text)
})

test('gives one real path for all names of a file, also if the file does not exist yet', async () => {
  writeFileSync(pathOf('a'), '')
  symlinkSync('a', pathOf('link'))
  symlinkSync('new', pathOf('dangling'))
  const haveSameRealPath = async (name: string, otherName: string): Promise<boolean> =>
    (await nodeFiles.realPath(pathOf(name))) === (await nodeFiles.realPath(pathOf(otherName)))
  for (const name of ['a', './a', 'link']) assert.ok(await haveSameRealPath('a', name), name)
  for (const name of ['new', './new', 'dangling'])
    assert.ok(await haveSameRealPath('new', name), name)
  assert.not.ok(await haveSameRealPath('a', 'new'))
})

test('finds no real path in a missing folder', async () => {
  const path = join(pathOf('missing'), 'x')
  assert.is(await findReason(nodeFiles.realPath(path)), 'no such file or directory')
})

test('saves a temporary file that only the user can read', async () => {
  const path = await nodeFiles.saveTemporary('report.json', '[]')
  assert.is(readFileSync(path, 'utf8'), '[]')
  assert.is(statSync(path).mode & 0o777, 0o600)
  rmSync(dirname(path), { recursive: true })
})

test.run()
