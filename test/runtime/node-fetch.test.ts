import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeFetch } from '../../lib/runtime/node-fetch'

const test = suite('runtime/node-fetch')

test('a call that was cancelled before it began rejects, and nothing else is thrown', async () => {
  const stray: Array<unknown> = []
  const onStray = (error: unknown): void => void stray.push(error)
  process.on('uncaughtException', onStray)
  const outcome = await nodeFetch('http://127.0.0.1:1/', {
    method: 'POST',
    headers: {},
    body: Buffer.from('{}'),
    signal: AbortSignal.abort(),
  }).catch((error: unknown) => error)
  await new Promise(setImmediate)
  process.off('uncaughtException', onStray)
  assert.instance(outcome, Error)
  assert.equal(stray, [])
})

test.run()
