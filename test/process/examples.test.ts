import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkRequest, decodeRequest } from '../../lib/codec/request'
import { exampleOf } from '../support/documents'
import { folder, inShell, start } from '../support/program'

const test = suite('process: the requests and programs of the pages')

for (const name of ['request', 'readme-request'])
  test(`${name}: a valid request with a question of each type`, () => {
    const request = decodeRequest(Buffer.from(exampleOf('json', name)))
    if (E.isLeft(request)) throw new Error(JSON.stringify(request.left))
    assert.ok(E.isRight(checkRequest(request.right)))
    const types = request.right.questions.map(([, { type }]) => type)
    assert.equal([...new Set(types)].sort(), ['choice', 'noul', 'score'])
  })

test('curl, fetch and Python get an answer from svc serve', async () => {
  const service = start(['serve', '--port', '0'], { env: {} })
  const url = (await service.said(/http:\S+/)).trim()
  const atService = (text: string): string => text.replaceAll('http://127.0.0.1:8787', url)
  writeFileSync(join(folder, 'request.json'), exampleOf('json', 'readme-request'))
  const curl = await inShell(atService(exampleOf('sh', 'curl')), {})
  assert.match(curl.stdout, /^\{"model":"svc-lexical-1","answers":\{"billing":\{"type":"noul"/)
  writeFileSync(join(folder, 'ask.mjs'), atService(exampleOf('js', 'fetch')))
  const script = await inShell(`'${process.execPath}' ask.mjs`, {})
  assert.match(script.stdout, /^0\.\d+\n$/, script.stderr)
  writeFileSync(join(folder, 'ask.py'), atService(exampleOf('python', 'requests')))
  const python = await inShell('python3 ask.py', {})
  // Python and its package are not on every machine; the form of the call is the same as that of fetch.
  if (!/not found|ModuleNotFoundError/.test(python.stderr))
    assert.match(python.stdout, /^0\.\d+\n$/, python.stderr)
  service.child.kill()
  await service.ended
})

test.run()
