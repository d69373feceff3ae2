import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  dropByteOrderMark,
  type InputLine,
  isBlank,
  splitLines,
} from '../../../lib/runs/record/lines'
import * as fc from '../../support/fast-check'
import { splitIntoChunks } from './records'

const test = suite('runs/record/lines')

/** Splits a text that is read in chunks of `chunkBytes`. */
const splitText = async (
  text: string,
  chunkBytes: number,
  maxLineBytes = 1 << 20,
): Promise<ReadonlyArray<InputLine>> => {
  const lines: InputLine[] = []
  const chunks = splitIntoChunks(text, chunkBytes)
  for await (const linesOfChunk of splitLines(chunks, maxLineBytes)) lines.push(...linesOfChunk)
  return lines
}

test('splits a text at its newlines, whatever the size of the chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('\n', '\r', 'a', 'é', '{}', '\n\n')),
      fc.integer({ min: 1, max: 6 }),
      async (parts, chunkBytes) => {
        const text = parts.join('')
        const lines = await splitText(text, chunkBytes)
        const joined = lines
          .map(({ bytes, hasNewline }) => `${bytes}${hasNewline ? '\n' : ''}`)
          .join('')
        // No byte is lost.
        assert.is(joined, text)
        // A line ends at its newline. Only the last line may lack a newline.
        assert.ok(lines.every(({ bytes }) => !bytes.includes('\n')))
        assert.ok(lines.slice(0, -1).every(({ hasNewline }) => hasNewline))
        // Line numbers count from 1.
        assert.equal(
          lines.map(({ number }) => number),
          lines.map((_, index) => index + 1),
        )
        // The offset after the last line is the size of the text. An empty text has no lines, and the size 0.
        assert.is(lines.at(-1)?.nextOffset ?? 0, Buffer.byteLength(text))
      },
    ),
  )
})

test('returns only the beginning of a line that is longer than the limit', async () => {
  const lines = await splitText(`${'x'.repeat(1000)}\nshort\n`, 7, 10)
  assert.equal(
    lines.map(({ isTooLong, nextOffset }) => ({ isTooLong, nextOffset })),
    [
      { isTooLong: true, nextOffset: 1001 },
      { isTooLong: false, nextOffset: 1007 },
    ],
  )
  // The line exceeds the limit of 10 bytes in the second chunk of 7 bytes. svc returns the line up to the end of this chunk.
  assert.is(lines[0]?.bytes.toString(), 'x'.repeat(14))
})

test('accepts a line whose length equals the limit', async () => {
  const [line] = await splitText('0123456789\n', 3, 10)
  assert.is(line?.isTooLong, false)
})

test('drops a byte order mark from the first line only', async () => {
  const [first, second] = await splitText('\ufeffa\n\ufeffb\n', 100)
  assert.is(first && dropByteOrderMark(first).toString(), 'a')
  assert.is(second && dropByteOrderMark(second).toString(), '\ufeffb')
})

test('a line is blank if it has only JSON whitespace', () => {
  for (const text of ['', ' \t\r']) assert.is(isBlank(Buffer.from(text)), true)
  for (const text of ['\u00a0', 'x', '\f']) assert.is(isBlank(Buffer.from(text)), false)
})

test.run()
