import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeOf } from '../../lib/runtime/node/error-reason'
import { openOutputFile, openReplacement } from '../../lib/runtime/node/output-file'
import { createTemporaryFolder, root } from '../support/folders'

const test = suite('runtime/output-file')

let folder = ''
test.before.each(() => {
  folder = createTemporaryFolder()
})
const pathOf = (name: string): string => join(folder, name)

/**
 * Opens and closes an output. Resolves to `undefined` if that succeeds. Otherwise resolves to the code of the error, or to its message if
 * it has no code.
 */
const findOpenError = (path: string): Promise<string | undefined> =>
  openOutputFile(path).then(
    async (file) => {
      await file.close()
      return undefined
    },
    (error: Error) => codeOf(error) ?? error.message,
  )

/** Formats the message for a file `run` that a process has locked. */
const formatLockedMessage = (processId: number | undefined): string =>
  `another svc is writing it (process ${processId}, lock file ${realpathSync(folder)}/run.lock)`

/** Returns the paths of the files that earlier runs left beside `run`. */
const listLeftovers = async (): Promise<ReadonlyArray<string>> => {
  const file = await openOutputFile(pathOf('run'))
  await file.close()
  return file.leftovers.map(({ path }) => path)
}

test('appends to a file and truncates it', async () => {
  writeFileSync(pathOf('run'), 'one\n')
  const file = await openOutputFile(pathOf('run'))
  assert.is(file.size, 4)
  await file.append(Buffer.from('two\n'))
  await file.truncate(2)
  await file.append(Buffer.from('three\n'))
  await file.close()
  assert.is(readFileSync(pathOf('run'), 'utf8'), 'onthree\n')
})

test('refuses to open or replace a file that is open, also through a link', async () => {
  symlinkSync('run', pathOf('link'))
  const file = await openOutputFile(pathOf('link'))
  for (const name of ['link', 'run'])
    assert.is(await findOpenError(pathOf(name)), formatLockedMessage(process.pid), name)
  const replaceError = await openReplacement(pathOf('run')).catch((error: Error) => error.message)
  assert.is(replaceError, formatLockedMessage(process.pid))
  await file.close()
})

test('opens a file again after it was closed, and leaves no lock file', async () => {
  const file = await openOutputFile(pathOf('run'))
  await file.close()
  assert.is(await findOpenError(pathOf('run')), undefined)
  assert.equal(readdirSync(folder), ['run'])
})

test('opens another file while one is open', async () => {
  const file = await openOutputFile(pathOf('run'))
  assert.is(await findOpenError(pathOf('other')), undefined)
  await file.close()
})

test('locks the file that a replacement would replace, until it is discarded', async () => {
  const replacement = await openReplacement(pathOf('run'))
  assert.is(await findOpenError(pathOf('run')), formatLockedMessage(process.pid))
  await replacement.discard()
  assert.equal(readdirSync(folder), [])
})

test('leaves no lock file if a file cannot be opened', async () => {
  assert.is(await findOpenError(join(pathOf('missing'), 'run')), 'ENOENT')
  assert.is(await findOpenError(folder), 'EISDIR')
  assert.equal(readdirSync(folder), [])
})

/** A program that opens an output and keeps it open. */
const openingProgram = `
import { openOutputFile } from '${join(root, 'lib/runtime/node/output-file.ts')}'
await openOutputFile(process.argv[1])
console.log('open')
setInterval(() => undefined, 1000)`

test('refuses a file that another process has open, until that process is killed', async () => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', openingProgram, pathOf('run')]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(createInterface(child.stdout), 'line')
  const error = await findOpenError(pathOf('run'))
  child.kill('SIGKILL')
  await once(child, 'close')
  assert.is(error, formatLockedMessage(child.pid))
  assert.is(await findOpenError(pathOf('run')), undefined)
})

test('replaces a file when the replacement is committed, with the same mode and lock, also through a link', async () => {
  writeFileSync(pathOf('run'), 'old\n')
  chmodSync(pathOf('run'), 0o600)
  symlinkSync('run', pathOf('link'))
  const file = await openOutputFile(pathOf('link'))
  const replacement = await file.startReplacement()
  await replacement.append(Buffer.from('new\n'))
  assert.is(readFileSync(pathOf('run'), 'utf8'), 'old\n')
  const committed = await replacement.commit()
  assert.is(await findOpenError(pathOf('run')), formatLockedMessage(process.pid))
  await committed.append(Buffer.from('more\n'))
  await committed.close()
  assert.is(readFileSync(pathOf('run'), 'utf8'), 'new\nmore\n')
  assert.is(statSync(pathOf('run')).mode & 0o777, 0o600)
  assert.equal(readdirSync(folder).sort(), ['link', 'run'])
})

test('deletes a discarded replacement, and keeps the file open and locked', async () => {
  const file = await openOutputFile(pathOf('run'))
  const replacement = await file.startReplacement()
  await replacement.append(Buffer.from('new\n'))
  await replacement.discard()
  assert.is(await findOpenError(pathOf('run')), formatLockedMessage(process.pid))
  await file.close()
  assert.equal(readdirSync(folder), ['run'])
})

test('keeps a file open and locked after a replacement of it was committed, until it is closed twice', async () => {
  const file = await openOutputFile(pathOf('run'))
  const committed = await (await file.startReplacement()).commit()
  assert.is(await findOpenError(pathOf('run')), formatLockedMessage(process.pid))
  await committed.close()
  await committed.close()
  assert.is(await findOpenError(pathOf('run')), undefined)
})

test('closes the old file before it replaces it, as Windows needs it', async () => {
  writeFileSync(pathOf('run'), 'old\n')
  const file = await openOutputFile(pathOf('run'))
  const replacement = await file.startReplacement()
  const committed = await replacement.commit()
  const code = await file.append(Buffer.from('x\n')).catch((error: unknown) => codeOf(error))
  assert.is(code, 'EBADF')
  await committed.close()
})

test('leaves both files if the old one cannot be replaced', async () => {
  writeFileSync(pathOf('run'), 'old\n')
  const file = await openOutputFile(pathOf('run'))
  const replacement = await file.startReplacement()
  await replacement.append(Buffer.from('new\n'))
  // No file can replace a folder that has files.
  rmSync(pathOf('run'))
  mkdirSync(pathOf('run/x'), { recursive: true })
  const code = await replacement.commit().catch((error: unknown) => codeOf(error))
  assert.is(code, 'EISDIR')
  await replacement.keep()
  await file.close()
  assert.is(readFileSync(replacement.path, 'utf8'), 'new\n')
  rmSync(pathOf('run'), { recursive: true })
  assert.equal(await listLeftovers(), [replacement.path])
})

test('lists the replacements that killed runs left, and removes one on demand', async () => {
  const file = await openOutputFile(pathOf('run'))
  const replacement = await file.startReplacement()
  await replacement.keep()
  await file.close()
  const next = await openOutputFile(pathOf('run'))
  await next.leftovers[0]?.remove()
  await next.close()
  assert.equal(await listLeftovers(), [])
})

test('truncates no other file that was put at the path', async () => {
  writeFileSync(pathOf('run'), 'one\n')
  const file = await openOutputFile(pathOf('run'))
  renameSync(pathOf('run'), pathOf('moved'))
  writeFileSync(pathOf('run'), 'the work of a person\n')
  const code = await file.truncate(0).catch((error: unknown) => codeOf(error))
  await file.close()
  assert.is(code, 'ESTALE')
  assert.is(readFileSync(pathOf('run'), 'utf8'), 'the work of a person\n')
})

test('removes the temporary files that killed processes left for this file, and no other files', async () => {
  // Finds out how svc names the temporary files of this output.
  const discarded = await openReplacement(pathOf('run'))
  const temporaryName = readdirSync(folder).find((name) => name.endsWith('.tmp')) ?? ''
  await discarded.discard()
  writeFileSync(pathOf(temporaryName), 'half a run')
  writeFileSync(pathOf('.svc-of-another-output.tmp'), 'another output')
  assert.is(await findOpenError(pathOf('run')), undefined)
  assert.equal(readdirSync(folder), ['.svc-of-another-output.tmp', 'run'])
})

test('reports size 0 for a device, and does not lock it', async () => {
  const [first, second] = await Promise.all([
    openOutputFile('/dev/null'),
    openOutputFile('/dev/null'),
  ])
  await first.append(Buffer.from('x'))
  assert.equal([first.size, second.size], [0, 0])
  await Promise.all([first.close(), second.close()])
})

test('reports a full device', async () => {
  const full = await openOutputFile('/dev/full')
  const code = await full.append(Buffer.from('x')).catch((error: unknown) => codeOf(error))
  assert.is(code, 'ENOSPC')
  await full.close()
})

test('fails if no program reads a named pipe, instead of waiting', async () => {
  execFileSync('mkfifo', [pathOf('pipe')])
  assert.is(await findOpenError(pathOf('pipe')), 'ENXIO')
})

test('writes all lines to a named pipe that a program reads', async () => {
  execFileSync('mkfifo', [pathOf('pipe')])
  const reader = openSync(pathOf('pipe'), constants.O_RDONLY | constants.O_NONBLOCK)
  const file = await openOutputFile(pathOf('pipe'))
  assert.is(file.size, 0)
  await file.append(Buffer.from('one\n'))
  await file.append(Buffer.from('two\n'))
  await file.close()
  assert.is(readFileSync(reader, 'utf8'), 'one\ntwo\n')
  closeSync(reader)
})

test.run()
