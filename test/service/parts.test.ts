import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { abbreviate } from '../../lib/service/contract/problem'
import { createTokenBuckets } from '../../lib/service/http/admit'
import { createRequestIds } from '../../lib/service/http/record-request'
import { readConfiguredKeys } from '../../lib/service/keys/configured-keys'
import { checkKeys, createKeys, parseBearerToken } from '../../lib/service/keys/keys'
import { createFindPeer } from '../../lib/service/observe/peer'
import { memoryFiles } from '../support/files'
import { noLogger } from '../support/runtime'

const test = suite('service: parts')

test('request ids sort by time and are unique within a millisecond', () => {
  let now = 1_700_000_000_000
  const next = createRequestIds(() => now)
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
  const limit = createTokenBuckets(3, () => now)
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
  const keys = (...all: ReadonlyArray<string>) => E.right(all.map((key) => ({ key })))
  assert.equal(await read(' x, y ,,z'), keys('x', 'y', 'z'))
  assert.equal(await read(undefined, 'keys'), keys('a', 'b'))
  assert.equal(await read('x', 'keys'), keys('x', 'a', 'b'))
  assert.equal(await read(''), E.right([]))
})

const keysOf = (...keys: ReadonlyArray<string>) => keys.map((key) => ({ key }))

test('a key may have a name in front, in the list and in the file', async () => {
  const { files } = memoryFiles({ keys: 'shop:b\nc\n' })
  const read = (list: string) =>
    readConfiguredKeys(
      { list, file: 'keys' },
      { files, log: noLogger, signal: new AbortController().signal },
    )()
  const named = [{ name: 'web', key: 'a:1' }, { name: 'shop', key: 'b' }, { key: 'c' }]
  assert.equal(await read('web:a:1'), E.right(named))
  for (const list of ['two words:secret', ':secret', 'name:', `${'x'.repeat(65)}:secret`]) {
    const refused = await read(list)
    assert.ok(E.isLeft(refused), list)
    assert.not.match(JSON.stringify(refused), /secret/)
  }
})

test('keys have at most 100 different names', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `n${i}`, key: `k${i}` }))
  const again = { name: 'n0', key: 'another' }
  assert.ok(E.isRight(checkKeys('127.0.0.1', [...named(100), again])))
  assert.ok(E.isLeft(checkKeys('127.0.0.1', named(101))))
})

test('accepts configured keys only, or any token if there are none', () => {
  const keys = createKeys([{ key: 'a' }, { name: 'shop', key: 'b' }])
  assert.is(keys.findHolder('a')?.name, undefined)
  assert.is(keys.findHolder('b')?.name, 'shop')
  assert.is.not(keys.findHolder('a')?.id, keys.findHolder('b')?.id)
  assert.is(keys.findHolder('c'), undefined)
  assert.is(keys.findHolder(''), undefined)
  const anyKey = createKeys([])
  assert.is.not(anyKey.findHolder('a')?.id, anyKey.findHolder('b')?.id)
  assert.not.match(anyKey.findHolder('long-and-secret')?.id ?? '', /secret/)
  assert.is(typeof anyKey.findHolder('')?.id, 'string')
})

test('replaced keys keep their holders and rates', () => {
  const keys = createKeys(keysOf('a', 'b'))
  const second = keys.findHolder('b')
  keys.replace(keysOf('b', 'c'))
  assert.is(keys.findHolder('a'), undefined)
  assert.equal(keys.findHolder('b'), second)
  assert.is.not(keys.findHolder('c')?.id, second?.id)
})

test('behind a trusted proxy the last address that is no proxy is the caller', () => {
  const find = (remoteAddress: string, forwarded?: string | string[], trusted = ['10.0.0.1']) =>
    createFindPeer(trusted)({
      socket: { remoteAddress },
      headers: { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage)
  assert.is(find('10.0.0.1', '1.1.1.1, 2.2.2.2'), '2.2.2.2')
  assert.is(find('::ffff:10.0.0.1', '1.1.1.1, 2.2.2.2,10.0.0.1'), '2.2.2.2')
  assert.is(find('10.0.0.1', '::1'), '::1')
  assert.is(find('10.0.0.1', '1.1.1.1, forged value'), '10.0.0.1')
  assert.is(find('10.0.0.1'), '10.0.0.1')
  assert.is(find('10.0.0.2', '1.1.1.1'), '10.0.0.2')
  assert.is(find('10.0.0.1', '1.1.1.1', []), '10.0.0.1')
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
  for (const [header, token] of cases) assert.is(parseBearerToken(header), token, String(header))
})

test('only a loopback host goes without keys', () => {
  assert.ok(E.isRight(checkKeys('127.0.0.1', [])))
  assert.ok(E.isRight(checkKeys('0.0.0.0', keysOf('k'))))
  assert.ok(E.isLeft(checkKeys('0.0.0.0', [])))
  const spaced = checkKeys('127.0.0.1', keysOf('se cret'))
  assert.ok(E.isLeft(spaced))
  assert.not.match(JSON.stringify(spaced), /cret/)
})

test('a repeated text is short and ends between two characters', () => {
  assert.is(abbreviate('x'.repeat(100)), 'x'.repeat(100))
  assert.is(abbreviate(`${'x'.repeat(99)}😀`), `${'x'.repeat(99)}...`)
})

test.run()
