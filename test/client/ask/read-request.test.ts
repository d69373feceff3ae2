import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readRequest } from '../../../lib/client/ask/read-request'
import { usage } from '../../../lib/failure/failure'
import { createMemoryFiles } from '../../support/files'
import { createFakeRuntime } from '../../support/runtime'

const test = suite('ask/read-request')

test('treats a blank document as a missing request', async () => {
  const message =
    'no request given: pass --file, pipe JSON to stdin, or use --state with --noul/--choice/--score'
  for (const text of ['', ' ', '\n\t\r\v\f ', '\ufeff', '\ufeff \n'])
    for (const source of [{ from: 'stdin' }, { from: 'file', path: 'a.json' }] as const) {
      const { files } = createMemoryFiles({ 'a.json': text })
      const { runtime } = createFakeRuntime({ stdin: text, files })
      const read = await readRequest({ mode: 'json', source })(runtime)()
      assert.equal(read, { _tag: 'Left', left: usage(message, 'request') }, JSON.stringify(text))
    }
})

test.run()
