import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEncoder, decodeChunks, decodeWhole } from '../../lib/text/encoding'
import { convertUtf16Document, encodeUtf16 } from '../../lib/text/utf16'
import { splitIntoChunks } from '../runs/record/records'
import * as fc from '../support/fast-check'

const test = suite('text/encoding')

/** Decodes an input that is read in chunks. Returns the text, or the message of a fault. */
const decode = async (bytes: Uint8Array, encoding?: string, chunkBytes = 3): Promise<string> => {
  const parts: Uint8Array[] = []
  try {
    for await (const part of decodeChunks(splitIntoChunks(bytes, chunkBytes), encoding))
      parts.push(part)
  } catch (error) {
    return String(error)
  }
  return Buffer.concat(parts).toString()
}

test('decodes UTF-16 with a byte order mark in both orders, in chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('a', '\r', '\n', 'ä', '文', '\ufffd', '\u{1f600}', '\0') }),
      fc.constantFrom('utf-16le' as const, 'utf-16be' as const),
      fc.integer({ min: 1, max: 9 }),
      async (text, encoding, chunkBytes) => {
        const bytes = encodeUtf16(`\ufeff${text}`, encoding)
        assert.is(await decode(bytes, undefined, chunkBytes), text)
        const whole = convertUtf16Document(bytes)
        assert.is(E.isRight(whole) && Buffer.from(whole.right).toString(), text)
      },
    ),
  )
})

test('refuses UTF-16 without a byte order mark by its name, unless the flag names it', async () => {
  for (const encoding of ['utf-16le', 'utf-16be'] as const)
    for (const text of ['a,b\n1,2\n', '{}', 'é,b', '文,字\n', 'Привет;1']) {
      const bytes = encodeUtf16(text, encoding)
      const message = `this is ${encoding} without a byte order mark: save it as UTF-8`
      for (const chunkBytes of [4, 1000]) {
        if (bytes.length > chunkBytes && chunkBytes === 4 && text.charCodeAt(0) > 0xff) continue
        assert.is(await decode(bytes, undefined, chunkBytes), `Error: ${message}`, text)
      }
      assert.equal(convertUtf16Document(bytes), E.left(message))
      assert.is(await decode(bytes, encoding), text)
    }
})

test('reads UTF-8 that merely has the character NUL', async () => {
  for (const text of ['a\0b', 'index,text\n0,\0\n', '\0', '"\0\0"', 'é\0'])
    assert.is(await decode(Buffer.from(text)), text)
})

test('names the line of half a character in UTF-16', async () => {
  const bytes = encodeUtf16('\ufeffa\r\nb\r\ud83dc\n', 'utf-16le')
  assert.match(await decode(bytes), 'line 3: the text is not valid utf-16le')
  assert.match(await decode(bytes.subarray(0, 5)), 'line 1: the text is not valid utf-16le')
  assert.equal(convertUtf16Document(bytes), E.left('it is not valid utf-16le'))
})

test('writes a decoded text with the same bytes in its encoding', () => {
  const texts = [
    ['utf-8', Buffer.from('schön „a“ 文')],
    ['utf-16le', encodeUtf16('schön 文 \u{1f600}', 'utf-16le')],
    ['utf-16be', encodeUtf16('schön 文', 'utf-16be')],
    ['windows-1252', Buffer.from(Array.from({ length: 224 }, (_, index) => index + 32))],
    ['iso-8859-15', Buffer.from([0x61, 0xa4, 0xfc])],
    ['shift_jis', Buffer.from([0x82, 0xa0, 0x2c, 0x83, 0x7c])],
  ] as const
  for (const [encoding, bytes] of texts) {
    const decoded = decodeWhole(bytes, encoding)
    if (E.isLeft(decoded)) throw new Error(decoded.left)
    assert.is(decoded.right.encoding, encoding)
    const encoded = createEncoder(encoding)(decoded.right.utf8.toString())
    assert.equal(E.isRight(encoded) && encoded.right, bytes, encoding)
  }
})

test('names the character that an encoding does not have', () => {
  assert.equal(createEncoder('windows-1252')('a→'), E.left('"→" cannot be written in windows-1252'))
})

test.run()
