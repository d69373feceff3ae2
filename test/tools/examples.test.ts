import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readExample } from '../support/documents'
import { folder, runInShell, start } from '../support/program'

const test = suite('tools: the programs of the pages in curl and Python')

test('curl and Python get an answer from svc serve', async () => {
  const service = start(['serve', '--port', '0'], { env: {} })
  const url = (await service.waitForStderr(/http:\S+/)).trim()
  const atService = (text: string): string => text.replaceAll('http://127.0.0.1:8787', url)
  writeFileSync(join(folder, 'request.json'), readExample('json', 'readme-request'))
  const curl = await runInShell(atService(readExample('sh', 'curl')), {})
  assert.match(curl.stdout, /^\{"model":"svc-lexical-1","answers":\{"billing":\{"type":"noul"/)
  writeFileSync(join(folder, 'ask.py'), atService(readExample('python', 'requests')))
  const python = await runInShell('python3 ask.py', {})
  assert.match(python.stdout, /^0\.\d+\n$/, python.stderr)
  service.child.kill()
  await service.ended
})

test('the example of Ray Data is Python', () => {
  const parse = 'import ast, sys; ast.parse(sys.stdin.read())'
  const input = readExample('python', 'ray')
  const { status, stderr } = spawnSync('python3', ['-c', parse], { input, encoding: 'utf8' })
  assert.is(status, 0, stderr)
})

test.run()
