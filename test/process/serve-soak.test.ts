import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleRequest, post } from '../service/run-service'
import { start } from '../support/program'
import { until } from '../support/until'
import { sendManyRequests } from './send-many-requests'

const test = suite('service: many requests of all kinds')

test('answers every request correctly, leaks nothing, and stops at once', async () => {
  const { child, ended, waitForStderr } = start(['serve', '--port', '0'], { env: {} })
  const url = (await waitForStderr(/listening on http:\/\/\S+/)).slice('listening on '.length)
  const counts = await sendManyRequests(url, { count: 300, concurrency: 16, seed: 2 })
  assert.is(counts.size, 10, [...counts].join(' '))
  const metrics = async () => (await fetch(`${url}/metrics`)).text()
  await until(async () =>
    /svc_requests_running 0\n[\s\S]*svc_requests_waiting 0\n/.test(await metrics()),
  )
  assert.is((await post(url, exampleRequest)).status, 200)
  child.kill('SIGTERM')
  const { code, stdout, stderr } = await ended
  assert.equal([code, stdout], [0, ''])
  assert.equal(stderr.split('\n').slice(1), [`svc: listening on ${url}`, 'svc: stopping', ''])
})

test.run()
