import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isLoopback } from '../../lib/runtime/http/loopback'

const test = suite('runtime/loopback')

test('recognizes the names and addresses of this machine', () => {
  const hosts = [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    // 127.0.0.1 as an IPv6 address
    '::ffff:127.0.0.1',
    '[::ffff:7f00:1]',
  ]
  for (const host of hosts) assert.is(isLoopback(host), true, host)
})

test('rejects names and addresses that only look like those of this machine', () => {
  const hosts = [
    '',
    'example.com',
    'localhost.example',
    'notlocalhost',
    '127.example',
    '128.0.0.1',
    '0.0.0.0',
    // 127 (hexadecimal 7f) is not the first byte of the IPv4 address.
    '1.127.0.0',
    '::ffff:7f',
    '::7f00:1',
    '[::ffff:a00:1]',
    '::',
    '::11',
    '::1:1',
    '[::2]',
    // An address with a zone
    '[::1%lo]',
  ]
  for (const host of hosts) assert.is(isLoopback(host), false, host)
})

test.run()
