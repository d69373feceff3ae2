import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { largestDocument } from '../../lib/json/largest-document'
import { run } from '../support/program'
import { httpServer } from '../support/servers'

const test = suite('process: large answers')

/** As many entries as fit into an answer with this beginning and end. */
const filled = (begin: string, entry: (index: number) => string, end: string): string => {
  const entries: string[] = []
  let length = begin.length + end.length
  for (let index = 0; ; index++) {
    const next = entry(index)
    length += next.length + 1
    if (length > largestDocument) return `${begin}${entries.join(',')}${end}`
    entries.push(next)
  }
}

const nulls = '"usage":{"input_tokens":null,"output_tokens":null}'
const answers = filled('{"model":"m","answers":{', (i) => `"q${i}":{"type":"noul","noul":0.5}`, '}')
const models = filled('{"models":[', () => '1', ']}')
const service = await httpServer((request, response) => {
  response.end(request.method === 'GET' ? models : `${answers}}`)
})
test.after(() => service.close())

/** Far less memory than the documents would take with a value for each of their parts. */
const tight = {
  env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url },
  node: ['--max-old-space-size=512'],
}

test('D6: the largest answers are printed with a heap of 512 MB', async () => {
  const stdin = '{"state":1,"questions":{"q":{"type":"noul"}}}'
  const { code, stdout, stderr } = await run(['ask', '--timeout', '0'], { ...tight, stdin })
  assert.equal([code, stderr], [0, ''])
  assert.ok(stdout === `${answers},${nulls}}\n`)
})

test('D6: so is the largest list of models', async () => {
  const { code, stdout, stderr } = await run(['models', '--timeout', '0'], tight)
  assert.equal([code, stderr], [0, ''])
  assert.ok(stdout === `${models}\n`)
})

test.run()
