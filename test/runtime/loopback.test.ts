import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isLoopback } from '../../lib/runtime/http/loopback'

const test = suite('runtime/loopback')

test('which hosts are this machine', () => {
  const local = [
    ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '127.0.0.1', '127.9.9.9'],
    ...['[::1]', '::1', '0:0:0:0:0:0:0:1', '[::ffff:7f00:1]', '::ffff:127.0.0.1'],
  ]
  for (const host of local) assert.is(isLoopback(host), true, host)
  const remote = [
    ...['example.com', 'localhost.example', 'notlocalhost', '128.0.0.1', '0.0.0.0', '127.example'],
    ...[
      '[::2]',
      '[::1%lo]',
      '::1:1',
      '::ffff:7f',
      '::7f00:1',
      '::',
      '::11',
      '[::ffff:a00:1]',
      '1.127.0.0',
      '',
    ],
  ]
  for (const host of remote) assert.is(isLoopback(host), false, host)
})

test.run()
