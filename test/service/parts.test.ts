import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clip } from '../../lib/service/contract/problem'
import { tokenBuckets } from '../../lib/service/limits/admission'
import { readConfiguredKeys } from '../../lib/service/limits/configured-keys'
import { bearerToken, checkKeys, createKeys } from '../../lib/service/limits/keys'
import { requestIds } from '../../lib/service/observe/request'
import { memoryFiles } from '../support/files'
import { noLogger } from '../support/runtime'

const test = suite('service: parts')

test('request ids sort by time and are unique within a millisecond', () => {
  let now = 1_700_000_000_000
  const next = requestIds(() => now)
  const ids: string[] = []
  for (let i = 0; i < 1000; i++) {
    if (i % 100 === 0) now += i % 300 === 0 ? -5 : 7
    ids.push(next())
  }
  assert.is(new Set(ids).size, ids.length)
  assert.equal([...ids].sort(), ids)
  for (const id of ids) assert.match(id, /^req_[0-9a-hjkmnp-tv-z]{26}$/)
})

test('a rate limit takes a burst of one minute, then one request at a time', () => {
  let now = 0
  const limit = tokenBuckets(3, () => now)
  assert.equal([limit('a'), limit('a'), limit('a')], [0, 0, 0])
  assert.is(limit('a'), 20_000)
  now += 5_000
  assert.is(limit('a'), 15_000)
  assert.is(limit('b'), 0)
  now += 15_000
  assert.is(limit('a'), 0)
  assert.is(limit('a'), 20_000)
  now += 3_600_000
  assert.equal([limit('a'), limit('a'), limit('a'), limit('a') > 0], [0, 0, 0, true])
})

test('keys come from the environment and from a file', async () => {
  const text = '\uFEFF# staff\r\na\r\n\r\n  b \n'
  const { files } = memoryFiles({ keys: text })
  const read = (list?: string, file?: string) =>
    readConfiguredKeys(
      { list, file },
      { files, log: noLogger, signal: new AbortController().signal },
    )()
  assert.equal(await read(' x, y ,,z'), E.right(['x', 'y', 'z']))
  assert.equal(await read(undefined, 'keys'), E.right(['a', 'b']))
  assert.equal(await read('x', 'keys'), E.right(['x', 'a', 'b']))
  assert.equal(await read(''), E.right([]))
})

test('keys: who is let in', () => {
  const keys = createKeys(['a', 'b'])
  assert.type(keys.holderOf('a'), 'string')
  assert.is.not(keys.holderOf('a'), keys.holderOf('b'))
  assert.is(keys.holderOf('c'), undefined)
  const anyKey = createKeys([])
  assert.is.not(anyKey.holderOf('a'), anyKey.holderOf('b'))
  assert.not.match(anyKey.holderOf('long-and-secret') ?? '', /secret/)
})

test('keys that are exchanged keep their holders, so that nobody gets the rate of another (D78)', () => {
  const keys = createKeys(['a', 'b'])
  const second = keys.holderOf('b')
  keys.replace(['b', 'c'])
  assert.is(keys.holderOf('a'), undefined)
  assert.is(keys.holderOf('b'), second)
  assert.is.not(keys.holderOf('c'), second)
})

test('bearer tokens', () => {
  const cases: ReadonlyArray<readonly [string | undefined, string | undefined]> = [
    [undefined, undefined],
    ['', undefined],
    ['Bearer', undefined],
    ['Bearer  ', undefined],
    ['Basic abc', undefined],
    ['Bearer abc', 'abc'],
    ['bearer   abc ', 'abc'],
  ]
  for (const [header, token] of cases) assert.is(bearerToken(header), token, String(header))
})

test('only a loopback host goes without keys', () => {
  assert.ok(E.isRight(checkKeys('127.0.0.1', [])))
  assert.ok(E.isRight(checkKeys('0.0.0.0', ['k'])))
  assert.ok(E.isLeft(checkKeys('0.0.0.0', [])))
  const spaced = checkKeys('127.0.0.1', ['se cret'])
  assert.ok(E.isLeft(spaced))
  assert.not.match(JSON.stringify(spaced), /cret/)
})

test('a text said back is short and no half of a character', () => {
  assert.is(clip('x'.repeat(100)), 'x'.repeat(100))
  assert.is(clip(`${'x'.repeat(99)}😀`), `${'x'.repeat(99)}...`)
})

test.run()
