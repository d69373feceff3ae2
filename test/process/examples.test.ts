import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkRequest, decodeRequest } from '../../lib/codec/request'
import { readExample } from '../support/documents'
import { folder, runInShell, start } from '../support/program'

const test = suite('process: the requests and programs of the pages')

for (const name of ['request', 'readme-request'])
  test(`${name}: a valid request with a question of each type`, () => {
    const request = decodeRequest(Buffer.from(readExample('json', name)))
    if (E.isLeft(request)) throw new Error(JSON.stringify(request.left))
    assert.ok(E.isRight(checkRequest(request.right)))
    const types = request.right.questions.map(([, { type }]) => type)
    assert.equal([...new Set(types)].sort(), ['choice', 'noul', 'score'])
  })

test('fetch gets an answer from svc serve', async () => {
  const service = start(['serve', '--port', '0'], { env: {} })
  const url = (await service.waitForStderr(/http:\S+/)).trim()
  const atService = (text: string): string => text.replaceAll('http://127.0.0.1:8787', url)
  writeFileSync(join(folder, 'ask.mjs'), atService(readExample('js', 'fetch')))
  const script = await runInShell(`'${process.execPath}' ask.mjs`, {})
  assert.match(script.stdout, /^0\.\d+\n$/, script.stderr)
  service.child.kill()
  await service.ended
})

test.run()
