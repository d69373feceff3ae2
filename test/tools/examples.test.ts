import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readExample } from '../support/documents'
import { runInShell, workingFolder } from '../support/program'
import { type ServeProcess, startServe } from '../support/serve'

const test = suite('tools: the examples of the documentation in curl and Python')

let service: ServeProcess

test.before(async () => {
  service = await startServe()
})

test.after(async () => {
  await service.stop()
})

/** Reads an example with the address of the running service. */
const readExampleForService = (language: string, name: string): string =>
  readExample(language, name).replaceAll('http://127.0.0.1:8787', service.url)

test('the example with curl gets an answer from svc serve', async () => {
  writeFileSync(join(workingFolder, 'request.json'), readExample('json', 'readme-request'))
  const { stdout } = await runInShell(readExampleForService('sh', 'curl'), {})
  // The answer to a yes/no question has the type `noul`.
  assert.match(stdout, /^\{"model":"svc-embedded-1","answers":\{"billing":\{"type":"noul"/)
})

test('the example with requests gets an answer from svc serve', async () => {
  writeFileSync(join(workingFolder, 'ask.py'), readExampleForService('python', 'requests'))
  const { stdout, stderr } = await runInShell('python3 ask.py', {})
  assert.match(stdout, /^0\.\d+\n$/, stderr)
})

test('the example with Ray Data is valid Python', () => {
  const parse = 'import ast, sys; ast.parse(sys.stdin.read())'
  const input = readExample('python', 'ray')
  const { status, stderr } = spawnSync('python3', ['-c', parse], { input, encoding: 'utf8' })
  assert.is(status, 0, stderr)
})

test.run()
