import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Mode, Source, StateSource } from '../../lib/ask/mode'
import { readRequest } from '../../lib/ask/request'
import { encodeRequest } from '../../lib/codec/request'
import { messageOf } from '../../lib/failure/message'
import { encodeText } from '../../lib/json/draft'
import { memoryFiles } from '../support/files'
import { fakeRuntime } from '../support/runtime'

const test = suite('ask/request')

/** The request as it would be sent, or the message; `input` is what the source gives. */
const read = async (mode: Mode, input: string): Promise<string> => {
  const { files } = memoryFiles({ 'a.json': input })
  const result = await readRequest(mode)(fakeRuntime({ stdin: input, files }).runtime)()
  if (E.isLeft(result)) return messageOf(result.left)
  const { model = 'none' } = result.right
  return encodeText(encodeRequest(result.right, model)).replace('"model":"none",', '')
}

const sources: ReadonlyArray<Source> = [{ from: 'stdin' }, { from: 'file', path: 'a.json' }]
const asked = '"questions":{"k":{"type":"noul","instructions":"q"}}'

test('spec JSON mode: a document is read, from either source, a byte order mark skipped (D48)', async () => {
  const text = `{"state":1.0,${asked},"x":[1e400]}`
  for (const source of sources)
    for (const before of ['', '\ufeff'])
      assert.is(await read({ mode: 'json', source }, before + text), text)
})

test('spec JSON mode 6: nothing but blanks is no request', async () => {
  const message =
    'no request given: pass --file, pipe JSON to stdin, or use --state with --noul/--choice/--score'
  for (const text of ['', ' ', '\n\t\r\v\f ', '\ufeff', '\ufeff \n'])
    for (const source of sources)
      assert.is(await read({ mode: 'json', source }, text), message, JSON.stringify(text))
})

test('D48: the state text is sent as it is', async () => {
  const questions = { noul: ['k=q'], choice: [], score: [] }
  for (const [text, sent] of [
    ['a\n', '"a\\n"'],
    ['', '""'],
    ['\ufeffa', '"\ufeffa"'],
    ['{"a": 1}', '"{\\"a\\": 1}"'],
    ['é\u0000😀', '"é\\u0000😀"'],
  ] as const)
    for (const state of [...sources, { from: 'text', text }] satisfies ReadonlyArray<StateSource>)
      assert.is(await read({ mode: 'flags', state, questions }, text), `{"state":${sent},${asked}}`)
})

test.run()
