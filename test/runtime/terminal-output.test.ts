import { Writable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSystemError } from '../../lib/runtime/node/error-reason'
import { createOutput, writeToStream } from '../../lib/runtime/node/output'

const test = suite('runtime/terminal-output')

const bytes = Buffer.from('schön █\n')

/** Creates a stream whose writes fail with this code. Without a code it collects what is written. */
const createStream = (code?: string) => {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write: (chunk, _, done) => {
      chunks.push(chunk)
      done(code === undefined ? null : createSystemError(code))
    },
  })
  return { stream, readText: () => Buffer.concat(chunks).toString() }
}

test('writes all bytes to the stream of a terminal, and adds one listener to it', async () => {
  const { stream, readText } = createStream()
  for (let write = 0; write < 20; write += 1)
    assert.is(await writeToStream(stream, bytes), 'written')
  assert.is(readText(), 'schön █\n'.repeat(20))
  assert.is(stream.listenerCount('error'), 1)
})

test('reports a terminal that is gone as closed', async () => {
  for (const code of ['EPIPE', 'EOF'])
    assert.is(await writeToStream(createStream(code).stream, bytes), 'closed')
})

test('rejects after another error, without an uncaught exception', async () => {
  const error = await writeToStream(createStream('EIO').stream, bytes).catch((reason) => reason)
  assert.is(error.code, 'EIO')
  // The stream emits its error after the write has failed.
  await new Promise((resolve) => setImmediate(resolve))
})

test('writes to a console of Windows through its stream', async () => {
  const tty = process.getBuiltinModule('node:tty')
  const { isatty } = tty
  const { write } = process.stderr
  const written: string[] = []
  tty.isatty = () => true
  process.stderr.write = ((chunk: Uint8Array, done: () => void) => {
    written.push(Buffer.from(chunk).toString())
    done()
    return true
  }) as typeof write
  try {
    await createOutput(2, 'win32').write('schön █\n')
  } finally {
    process.stderr.write = write
    tty.isatty = isatty
  }
  assert.equal(written, ['schön █\n'])
})

test.run()
