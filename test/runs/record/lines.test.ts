import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropMark, isBlank, type Line, splitLines } from '../../../lib/runs/record/lines'
import * as fc from '../../support/fast-check'
import { splitIntoChunks } from './records'

const test = suite('runs/record/lines')

/** Splits a text that arrives in chunks of `size` bytes. */
const splitText = async (
  text: string,
  size: number,
  limit = 1 << 20,
): Promise<ReadonlyArray<Line>> => {
  const lines: Line[] = []
  for await (const some of splitLines(splitIntoChunks(text, size), limit)) lines.push(...some)
  return lines
}

test('splits a text into lines, in chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('\n', '\r', 'a', 'é', '{}', '\n\n')),
      fc.nat(5),
      async (parts, more) => {
        const text = parts.join('')
        const lines = await splitText(text, more + 1)
        const joined = lines.map(({ bytes, ended }) => `${bytes}${ended ? '\n' : ''}`).join('')
        assert.is(joined, text)
        assert.ok(lines.every(({ bytes }) => !bytes.includes(10)))
        assert.ok(lines.slice(0, -1).every(({ ended }) => ended))
        assert.equal(
          lines.map(({ number }) => number),
          lines.map((_, index) => index + 1),
        )
        assert.is(lines.at(-1)?.next ?? 0, Buffer.byteLength(text))
      },
    ),
  )
})

test('holds only the beginning of a line that is too long', async () => {
  const lines = await splitText(`${'x'.repeat(1000)}\nshort\n`, 7, 10)
  assert.equal(
    lines.map(({ tooLong, next }) => [tooLong, next]),
    [
      [true, 1001],
      [false, 1007],
    ],
  )
  assert.ok((lines[0]?.bytes.length ?? 0) < 20)
  assert.is(`${(await splitText('0123456789\n', 3, 10))[0]?.tooLong}`, 'false')
})

test('drops a byte order mark from the first line only', async () => {
  const [first, second] = await splitText('\ufeffa\n\ufeffb\n', 100)
  assert.is(first && dropMark(first).toString(), 'a')
  assert.is(second && dropMark(second).toString(), '\ufeffb')
})

test('a line of JSON whitespace is blank', () => {
  assert.equal(
    ['', ' \t\r', '\u00a0', 'x', '\f'].map((text) => isBlank(Buffer.from(text))),
    [true, true, false, false, false],
  )
})

test.run()
