import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeFiles } from '../../../../lib/runtime/node/files'
import {
  comparePieces,
  decodeVectorTable,
  loadVectorTable,
} from '../../../../lib/service/engines/embedded/vector-table'

const test = suite('embedded engine: table of vectors')

/** Encodes a table of two vectors with four numbers each: (1, -7, 0, 7) and (0, 0, 2, 0). */
const encodeTable = ({ pieces = 'a\n##b', signature = 'SVCV' } = {}): Uint8Array => {
  const header = Buffer.alloc(16)
  header.write(signature, 'latin1')
  header.writeUInt32LE(2, 4)
  header.writeUInt32LE(4, 8)
  header.writeUInt32LE(4 + '\n'.length, 12)
  const scales = Buffer.from([3, 0, 0, 1])
  const vectors = Buffer.from([0x91, 0x8f, 0x88, 0xa8])
  return Buffer.concat([header, scales, vectors, Buffer.from(pieces)])
}

test('decodes pieces, factors and numbers', () => {
  const { vocabulary, dimensions, numbers, scales, lengths } = decodeVectorTable(encodeTable())
  assert.equal(
    [...vocabulary],
    [
      ['a', 0],
      ['##b', 1],
    ],
  )
  assert.is(dimensions, 4)
  assert.equal([...numbers], [1, -7, 0, 7, 0, 0, 2, 0])
  assert.equal([...scales], [3, 256])
  assert.equal([...lengths], [Math.sqrt(99), 2])
})

test('decodes a table at an odd place of a larger buffer', () => {
  const file = encodeTable()
  const larger = new Uint8Array(file.length + 1)
  larger.set(file, 1)
  assert.equal([...decodeVectorTable(larger.subarray(1)).scales], [3, 256])
})

for (const [title, file] of [
  ['an empty file', new Uint8Array()],
  ['another file', encodeTable({ signature: 'PK\u0003\u0004' })],
  ['a file that was cut', encodeTable().subarray(0, 27)],
  ['a piece too few', encodeTable({ pieces: 'abcde' })],
] as const)
  test(`refuses ${title}`, () => {
    assert.throws(() => decodeVectorTable(file), 'table of vectors')
  })

test('refuses a piece of more than 24 letters', () => {
  const file = Buffer.concat([encodeTable(), Buffer.from('b'.repeat(24))])
  file.writeUInt32LE(5 + 24, 12)
  assert.throws(() => decodeVectorTable(file), 'too long a piece')
})

test('reads the table once for all callers', async () => {
  const [first, second] = [loadVectorTable(nodeFiles), loadVectorTable(nodeFiles)]
  assert.is(await first, await second)
})

test('the table has 27,958 pieces of 192 numbers', async () => {
  const { vocabulary, dimensions } = await loadVectorTable(nodeFiles)
  assert.equal([vocabulary.size, dimensions], [27_958, 192])
})

test('words of similar meanings have vectors of similar directions', async () => {
  const table = await loadVectorTable(nodeFiles)
  const compare = (a: string, b: string): number =>
    comparePieces(table, table.vocabulary.get(a) ?? -1, table.vocabulary.get(b) ?? -1)
  assert.ok(compare('payment', 'money') > compare('payment', 'football') + 0.2)
  assert.is(compare('payment', 'payment').toFixed(12), '1.000000000000')
  assert.is(compare('payment', 'money'), compare('money', 'payment'))
})

test.run()
