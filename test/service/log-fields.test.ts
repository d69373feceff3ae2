import type { IncomingMessage } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { abbreviate } from '../../lib/service/contract/problem'
import { createRequestIds } from '../../lib/service/http/record-request'
import { createFindPeer } from '../../lib/service/observe/peer'

const test = suite('service: request ids, addresses and abbreviated texts')

test('request ids are unique and sort by creation, also within a millisecond or after the clock was set back', () => {
  let now = 1_700_000_000_000
  const createId = createRequestIds(() => now)
  const ids: string[] = []
  for (const changeMs of [0, 7, -5, 7]) {
    now += changeMs
    for (let i = 0; i < 250; i++) ids.push(createId())
  }
  assert.is(new Set(ids).size, ids.length)
  assert.equal([...ids].sort(), ids)
  // A ULID has digits and letters, without i, l, o and u.
  for (const id of ids) assert.match(id, /^req_[0-9a-hjkmnp-tv-z]{26}$/)
})

const proxy = '10.0.0.1'

/** Returns the caller's address in the log, for a request from `remoteAddress` with this X-Forwarded-For header. */
const findCaller = (
  remoteAddress: string,
  forwardedFor: string | undefined,
  trustedProxies = [proxy],
): string | undefined =>
  // The function reads no other members of a request.
  createFindPeer(trustedProxies)({
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwardedFor },
  } as unknown as IncomingMessage)

test('the caller is the last address in X-Forwarded-For that is not a trusted proxy', () => {
  assert.is(findCaller(proxy, '1.1.1.1, 2.2.2.2'), '2.2.2.2')
  assert.is(findCaller(`::ffff:${proxy}`, `1.1.1.1, 2.2.2.2,${proxy}`), '2.2.2.2')
  assert.is(findCaller(proxy, '::1'), '::1')
})

test('the caller is the proxy if X-Forwarded-For is missing or does not end with an address', () => {
  assert.is(findCaller(proxy, '1.1.1.1, forged value'), proxy)
  assert.is(findCaller(proxy, undefined), proxy)
})

test('X-Forwarded-For does not count if the request does not come from a trusted proxy', () => {
  assert.is(findCaller('10.0.0.2', '1.1.1.1'), '10.0.0.2')
  assert.is(findCaller(proxy, '1.1.1.1', []), proxy)
})

test('cuts a text to 100 characters, and never inside a surrogate pair', () => {
  assert.is(abbreviate('x'.repeat(100)), 'x'.repeat(100))
  // The emoji has two UTF-16 characters, and the first would be the 100th of the text.
  assert.is(abbreviate(`${'x'.repeat(99)}😀`), `${'x'.repeat(99)}...`)
})

test.run()
