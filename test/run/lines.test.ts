import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isBlank, type Line, lineSplitter, withoutMark } from '../../lib/run/lines'
import * as fc from '../support/fast-check'

const test = suite('run/lines')

/** The lines of a text that comes in chunks of `size` bytes. */
const linesOf = (text: string | Buffer, size: number, limit = 1 << 20): ReadonlyArray<Line> => {
  const bytes = Buffer.from(text)
  const splitter = lineSplitter(limit)
  const lines: Line[] = []
  for (let at = 0; at < bytes.length; at += size)
    lines.push(...splitter.feed(bytes.subarray(at, at + size)))
  return [...lines, ...splitter.end()]
}

test('cuts a text into its lines, however it comes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('\n', '\r', 'a', 'é', '{}', '\n\n')),
      fc.nat(5),
      (parts, more) => {
        const text = parts.join('')
        const lines = linesOf(text, more + 1)
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

test('holds no more than the beginning of a line that is too long', () => {
  const lines = linesOf(`${'x'.repeat(1000)}\nshort\n`, 7, 10)
  assert.equal(
    lines.map(({ tooLong, next }) => [tooLong, next]),
    [
      [true, 1001],
      [false, 1007],
    ],
  )
  assert.ok((lines[0]?.bytes.length ?? 0) < 20)
  assert.is(`${linesOf('0123456789\n', 3, 10)[0]?.tooLong}`, 'false')
})

test('a byte order mark is none of the first line', () => {
  const [first, second] = linesOf('\ufeffa\n\ufeffb\n', 100)
  assert.is(first && withoutMark(first).toString(), 'a')
  assert.is(second && withoutMark(second).toString(), '\ufeffb')
})

test('tells blank lines by the blanks of JSON', () => {
  assert.equal(
    ['', ' \t\r', '\u00a0', 'x', '\f'].map((text) => isBlank(Buffer.from(text))),
    [true, true, false, false, false],
  )
})

test.run()
