import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleRequest, post } from '../service/run-service'
import { startServe } from '../support/serve'
import { until } from '../support/until'
import { sendManyRequests } from './send-many-requests'

const test = suite('process: svc serve answers many requests')

test('answers 300 requests of all kinds correctly, releases them all, and stops', async () => {
  const { url, stop } = await startServe()
  const counts = await sendManyRequests(url, { count: 300, concurrency: 16, seed: 2 })
  // All ten kinds of requests occurred.
  assert.is(counts.size, 10, [...counts].join(' '))
  const isIdle = async (): Promise<boolean> => {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    return /svc_requests_running 0\n[\s\S]*svc_requests_waiting 0\n/.test(metrics)
  }
  await until(isIdle)
  assert.is((await post(url, exampleRequest)).status, 200)
  const { code, stdout, stderr } = await stop()
  assert.is(code, 0)
  assert.is(stdout, '')
  const [_engineHint, ...lines] = stderr.split('\n')
  assert.equal(lines, [`svc: listening on ${url}`, 'svc: stopping', ''])
})

test.run()
