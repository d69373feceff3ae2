import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkRequest, decodeRequest } from '../../lib/codec/request'
import { readExample } from '../support/documents'
import { runInShell, workingFolder } from '../support/program'
import { startServe } from '../support/serve'

const test = suite('process: requests and programs in the documentation')

for (const name of ['request', 'readme-request'])
  test(`the example ${name} is a valid request with a question of each type`, () => {
    const request = decodeRequest(Buffer.from(readExample('json', name)))
    if (E.isLeft(request)) throw new Error(JSON.stringify(request.left))
    assert.ok(E.isRight(checkRequest(request.right)))
    const types = request.right.questions.map(([, { type }]) => type)
    // A yes/no question has the type `noul`.
    assert.equal([...new Set(types)].sort(), ['choice', 'noul', 'score'])
  })

test('the example with fetch gets an answer from svc serve', async () => {
  const service = await startServe()
  const program = readExample('js', 'fetch').replaceAll('http://127.0.0.1:8787', service.url)
  writeFileSync(join(workingFolder, 'ask.mjs'), program)
  const { stdout, stderr } = await runInShell(`'${process.execPath}' ask.mjs`, {})
  assert.match(stdout, /^0\.\d+\n$/, stderr)
  await service.stop()
})

test.run()
