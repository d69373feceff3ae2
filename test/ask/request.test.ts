import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Mode, Source, StateSource } from '../../lib/ask/mode'
import { readRequest } from '../../lib/ask/request'
import { AskRequest } from '../../lib/codec/request'
import { messageOf } from '../../lib/failure/message'
import { encode } from '../../lib/json/draft'
import { largestDocument } from '../../lib/json/parse'
import type { Files } from '../../lib/runtime/runtime'

const test = suite('ask/request')

const fail = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))
const unused = () => fail('EUNUSED')
const noChunks = () => {
  throw new Error('not expected in this test')
}
const noFiles: Files = {
  read: unused,
  chunks: noChunks,
  openOutput: unused,
  openReplacement: unused,
  size: unused,
  create: unused,
  replace: unused,
  append: unused,
  checkWritable: unused,
  makeFolder: unused,
  readRegular: unused,
  readableByOthers: unused,
  writableByOthers: unused,
  identity: unused,
  keep: unused,
  readPart: () => Promise.reject(new Error('not read')),
  list: unused,
}

type Input = string | Uint8Array | { readonly error: string }

/** The request as it would be sent, or the message; `input` is what the source gives. */
const read = async (mode: Mode, input: Input, signal = new AbortController().signal) => {
  const limits: Array<number | undefined> = []
  const give = (limit: number | undefined): Promise<Uint8Array> => {
    limits.push(limit)
    if (typeof input === 'object' && 'error' in input) return fail(input.error)
    return Promise.resolve(Buffer.from(input))
  }
  const files: Files = { ...noFiles, read: (_, limit) => give(limit) }
  const stdin = { isTTY: false, read: (limit: number) => give(limit), chunks: noChunks }
  const result = await readRequest(mode)({ stdin, files, signal })()
  return {
    limits,
    text: E.isLeft(result)
      ? messageOf(result.left)
      : String(encode(AskRequest.encode(result.right))),
  }
}

const stdin: Source = { from: 'stdin' }
const file: Source = { from: 'file', path: 'a.json' }
const document = (source: Source): Mode => ({ mode: 'json', source })
const flagMode = (state: StateSource, noul = 'k=q'): Mode => ({
  mode: 'flags',
  state,
  questions: { noul: [noul], choice: [], score: [] },
})
const asked = '"questions":{"k":{"type":"noul","instructions":"q"}}'

test('spec JSON mode: a document is read, from either source, a byte order mark skipped (D48)', async () => {
  const text = `{"state":1.0,${asked},"x":[1e400]}`
  for (const source of [stdin, file]) {
    assert.is((await read(document(source), text)).text, text)
    assert.is((await read(document(source), `\ufeff${text}`)).text, text)
  }
})

test('spec JSON mode 6: nothing but blanks is no request', async () => {
  const message =
    'no request given: pass --file, pipe JSON to stdin, or use --state with --noul/--choice/--score'
  for (const text of ['', ' ', '\n\t\r\v\f ', '\ufeff', '\ufeff \n'])
    for (const source of [stdin, file])
      assert.is((await read(document(source), text)).text, message, JSON.stringify(text))
})

test('spec Input limit: 16 MiB on each of the four inputs', async () => {
  const over = ' '.repeat(largestDocument + 1)
  const modes = [document(stdin), document(file), flagMode(stdin), flagMode(file)]
  for (const mode of modes) {
    const { text, limits } = await read(mode, over)
    assert.is(text, 'request exceeds 16 MiB')
    assert.equal(limits, [largestDocument])
  }
  const full = `{"state":1,${asked}}`.padEnd(largestDocument)
  assert.match((await read(document(stdin), full)).text, asked)
  assert.is(
    (await read(flagMode(stdin), ' '.repeat(largestDocument))).text.length > largestDocument,
    true,
  )
})

test('an interrupt while reading', async () => {
  const controller = new AbortController()
  controller.abort()
  const { text } = await read(document(stdin), { error: 'ABORT_ERR' }, controller.signal)
  assert.is(text, 'interrupted')
})

test('D48: the state text is sent as it is', async () => {
  const table = [
    ['a\n', '"a\\n"'],
    ['', '""'],
    ['\ufeffa', '"\ufeffa"'],
    ['{"a": 1}', '"{\\"a\\": 1}"'],
    ['é\u0000😀', '"é\\u0000😀"'],
  ] as const
  for (const [text, sent] of table)
    for (const source of [stdin, file, { from: 'text', text } as const])
      assert.is((await read(flagMode(source), text)).text, `{"state":${sent},${asked}}`)
})

test('a faulty question flag costs no input', async () => {
  const { text, limits } = await read(flagMode(stdin, 'k'), 'x')
  assert.is(text, '--noul "k": expected key=instructions')
  assert.equal(limits, [])
})

test.run()
