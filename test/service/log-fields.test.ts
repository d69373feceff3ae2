import type { IncomingMessage } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { abbreviate } from '../../lib/service/contract/problem'
import { createRequestIds } from '../../lib/service/http/record-request'
import { createFindPeer } from '../../lib/service/observe/peer'

const test = suite('service: request ids, addresses and abbreviated texts')

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

test('the caller is the last address in X-Forwarded-For that is not a trusted proxy', () => {
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

test('cuts a text to 100 characters, and never inside a surrogate pair', () => {
  assert.is(abbreviate('x'.repeat(100)), 'x'.repeat(100))
  assert.is(abbreviate(`${'x'.repeat(99)}😀`), `${'x'.repeat(99)}...`)
})

test.run()
