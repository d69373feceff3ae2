import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { resolveModel } from '../../lib/service/engines/models'
import {
  anyKey,
  bearerToken,
  isLoopback,
  keysFor,
  keysOfFile,
  listedKeys,
  splitKeys,
} from '../../lib/service/limits/keys'
import { tokenBuckets } from '../../lib/service/limits/rate-limit'
import { lineWriter } from '../../lib/service/observe/line-writer'
import { requestIds } from '../../lib/service/observe/request-id'
import { clipped } from '../../lib/service/problem'

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

test('keys: lists, files and who is let in', () => {
  assert.equal(splitKeys(' a, b ,,c'), ['a', 'b', 'c'])
  assert.equal(keysOfFile('\uFEFF# staff\r\na\r\n\r\n  b \n'), ['a', 'b'])
  const keys = listedKeys(['a', 'b'])
  assert.is(keys.holder('a'), 'key-1')
  assert.is(keys.holder('b'), 'key-2')
  assert.is(keys.holder('c'), undefined)
  assert.is.not(anyKey.holder('a'), anyKey.holder('b'))
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
  const loopback = ['127.0.0.1', '127.9.9.9', '::1', '[::1]', '0:0:0:0:0:0:0:1', 'localhost']
  const open = ['0.0.0.0', '::', '10.0.0.1', '::11', '::2:1', 'example.org', '1.127.0.0', 'fe80::1']
  for (const host of loopback) assert.is(isLoopback(host), true, host)
  for (const host of open) assert.is(isLoopback(host), false, host)
  assert.ok(E.isRight(keysFor('127.0.0.1', [])))
  assert.ok(E.isRight(keysFor('0.0.0.0', ['k'])))
  assert.ok(E.isLeft(keysFor('0.0.0.0', [])))
  const spaced = keysFor('127.0.0.1', ['se cret'])
  assert.ok(E.isLeft(spaced))
  assert.not.match(JSON.stringify(spaced), /cret/)
})

test('models: the latest by both names, own ones by theirs', () => {
  const own = ['m-2', 'm-1'].map((name) => ({ name, description: '', release_date: '' }))
  assert.is(resolveModel(own, undefined, 'questions'), 'm-2')
  assert.is(resolveModel(own, 'svc-latest', 'questions'), 'm-2')
  assert.is(resolveModel(own, 'm-1', 'questions'), 'm-1')
  assert.is(resolveModel(own, 'jev-latest', 'systemone'), 'm-2')
  assert.is(resolveModel(own, 'jev-latest', 'questions'), undefined)
})

test('a text said back is short and no half of a character', () => {
  assert.is(clipped('x'.repeat(100)), 'x'.repeat(100))
  assert.is(clipped(`${'x'.repeat(99)}😀`), `${'x'.repeat(99)}...`)
})

test('log lines are gathered, and none is lost on the way out', async () => {
  const written: string[] = []
  let run = (): void => undefined
  const timer = (_: number, f: () => void) => {
    run = f
    return () => undefined
  }
  const lines = lineWriter(async (text) => void written.push(text), { timer })
  lines.add('a\n')
  lines.add('b\n')
  assert.equal(written, [])
  run()
  await Promise.resolve()
  assert.equal(written, ['a\nb\n'])
  lines.add('c\n')
  await lines.flush()
  assert.equal(written, ['a\nb\n', 'c\n'])
})

test.run()
