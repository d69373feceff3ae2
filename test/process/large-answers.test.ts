import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { maxDocumentBytes } from '../../lib/codec/json/parse'
import { runProgram } from '../support/program'
import { startHttpServer } from '../support/servers'

const test = suite('process: large answers')

/** Formats the answer to a yes/no question, which has the type `noul`. All answers have the same length. */
const formatAnswer = (index: number): string =>
  `"q${String(index).padStart(6, '0')}":{"type":"noul","noul":0.5}`

/** Creates a document with as many answers as the maximum size allows. Its last brace is missing: svc adds `usage` before it. */
const createLargeAnswers = (): string => {
  const start = '{"model":"m","answers":{'
  const end = '}}'
  const bytesPerAnswer = formatAnswer(0).length + ','.length
  const count = Math.floor((maxDocumentBytes - start.length - end.length) / bytesPerAnswer)
  const answers = Array.from({ length: count }, (_, index) => formatAnswer(index))
  return `${start}${answers.join(',')}}`
}

/** Creates a list of as many models as the maximum size allows. Each is the number 1, because svc prints models unchanged. */
const createLargeModelList = (): string => {
  const start = '{"models":['
  const end = '1]}'
  const element = '1,'
  const count = Math.floor((maxDocumentBytes - start.length - end.length) / element.length)
  return `${start}${element.repeat(count)}${end}`
}

const openAnswers = createLargeAnswers()
const modelList = createLargeModelList()
const service = await startHttpServer((request, response) => {
  response.end(request.method === 'GET' ? modelList : `${openAnswers}}`)
})
test.after(() => service.close())

/** With an object for each part of these documents, Node would need a larger heap than 512 MB. */
const options = {
  env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url },
  nodeArgs: ['--max-old-space-size=512'],
}

test('prints the largest answers with a heap of 512 MB', async () => {
  const stdin = '{"state":1,"questions":{"q":{"type":"noul"}}}'
  const { code, stdout, stderr } = await runProgram(['ask', '--timeout', '0'], {
    ...options,
    stdin,
  })
  assert.is(code, 0)
  assert.is(stderr, '')
  // assert.is would print both texts.
  const usage = '"usage":{"input_tokens":null,"output_tokens":null}'
  assert.ok(stdout === `${openAnswers},${usage}}\n`)
})

test('prints the largest list of models with a heap of 512 MB', async () => {
  const { code, stdout, stderr } = await runProgram(['models', '--timeout', '0'], options)
  assert.is(code, 0)
  assert.is(stderr, '')
  assert.ok(stdout === `${modelList}\n`)
})

test.run()
