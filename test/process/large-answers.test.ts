import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { maxDocumentBytes } from '../../lib/codec/json/parse'
import { run } from '../support/program'
import { startHttpServer } from '../support/servers'

const test = suite('process: large answers')

const answer = (index: number): string =>
  `"q${String(index).padStart(6, '0')}":{"type":"noul","noul":0.5}`
/** As many as fit into a document, each with a comma. */
const count = Math.floor((maxDocumentBytes - 26) / (answer(0).length + 1))
const answers = `{"model":"m","answers":{${Array.from({ length: count }, (_, i) => answer(i)).join(',')}}`
const nulls = '"usage":{"input_tokens":null,"output_tokens":null}'
const models = `{"models":[${'1,'.repeat((maxDocumentBytes - 14) / 2)}1]}`
const service = await startHttpServer((request, response) => {
  response.end(request.method === 'GET' ? models : `${answers}}`)
})
test.after(() => service.close())

/** Far less memory than the documents would take with a value for each of their parts. */
const tight = {
  env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url },
  node: ['--max-old-space-size=512'],
}

test('prints the largest answers with a heap of 512 MB', async () => {
  const stdin = '{"state":1,"questions":{"q":{"type":"noul"}}}'
  const { code, stdout, stderr } = await run(['ask', '--timeout', '0'], { ...tight, stdin })
  assert.equal([code, stderr], [0, ''])
  assert.ok(stdout === `${answers},${nulls}}\n`)
})

test('prints the largest list of models with a heap of 512 MB', async () => {
  const { code, stdout, stderr } = await run(['models', '--timeout', '0'], tight)
  assert.equal([code, stderr], [0, ''])
  assert.ok(stdout === `${models}\n`)
})

test.run()
