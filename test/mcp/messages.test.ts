import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { textOf } from '../../lib/codec/json/json'
import { parseText } from '../../lib/codec/json/parse'
import { classify } from '../../lib/failure/classify'
import { readAskArguments, readBatchArguments } from '../../lib/mcp/arguments'
import {
  argumentsOf,
  describeTooLong,
  readMessage,
  writeFault,
  writeMessage,
} from '../../lib/mcp/message'
import { createTransport } from '../../lib/mcp/transport'
import { createLogger } from '../../lib/tracing/log'
import { documents } from '../codec/json/documents'
import { handClock } from '../support/clock'
import * as fc from '../support/fast-check'

/** Whatever a client writes: a message or a fault, and a state that keeps its text. */
const test = suite('mcp/messages')

const read = (line: string): JSONRPCMessage => {
  const message = readMessage(Buffer.from(line))
  if (E.isLeft(message)) throw new Error(message.left.message)
  return message.right
}

const given = (message: JSONRPCMessage) =>
  argumentsOf('params' in message ? (message.params?.arguments as Record<string, unknown>) : {})

const callOf = (input: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":${input}}}`

test('the arguments of a call keep their text on the way in, and a result on the way out', () => {
  fc.assert(
    fc.property(documents, ({ text, spaced }) => {
      const message = read(callOf(spaced))
      const json = given(message)
      assert.ok(json)
      const inside = spaced.slice(spaced.search(/[^ \t\r\n]/)).trimEnd()
      if (json) assert.is(textOf(json), inside)
      const result = { content: [], structuredContent: { answer: parseText(text) } }
      if (E.isRight(result.structuredContent.answer)) {
        const answer = { answer: result.structuredContent.answer.right }
        const out = { jsonrpc: '2.0', id: 1, result: { content: [], structuredContent: answer } }
        const line = writeMessage(out as unknown as JSONRPCMessage).toString()
        assert.is(
          line,
          `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"answer":${text}}}}\n`,
        )
      }
    }),
    { numRuns: 500 },
  )
})

test('any bytes are a message or a fault with a code of JSON-RPC', () => {
  const lines = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    documents.map(({ spaced }) => Buffer.from(spaced)),
    documents.map(({ text }) => Buffer.from(`{"jsonrpc":"2.0","id":1,"method":${text}}`)),
    documents.map(({ text }) => Buffer.from(`{"jsonrpc":"2.0","id":${text},"method":"m"}`)),
    documents.map(({ text }) => Buffer.from(`{"jsonrpc":"2.0","method":"m","params":${text}}`)),
  )
  fc.assert(
    fc.property(lines, (line) => {
      const message = readMessage(line)
      if (E.isLeft(message)) assert.ok([-32700, -32600].includes(message.left.code))
    }),
    { numRuns: 1000 },
  )
})

test('any arguments are taken or refused as usage or validation failures', () => {
  const questions = fc.oneof(
    documents.map(({ text }) => text),
    documents.map(({ text }) => `[{"id":"q","type":"noul","criteria":${text}}]`),
    documents.map(({ text }) => `[{"id":"q","type":"choice","labels":[${text},"x"]}]`),
    documents.map(({ text }) => `[{"id":"q","type":"score","levels":${text}}]`),
  )
  fc.assert(
    fc.property(questions, documents, (asked, { text }) => {
      const ask = given(read(callOf(`{"state":${text},"questions":${asked}}`)))
      const batch = given(read(callOf(`{"rows":[{"state":${text}}],"questions":${asked}}`)))
      for (const outcome of [readAskArguments(ask), readBatchArguments(batch)])
        if (E.isLeft(outcome))
          assert.ok(['usage', 'validation'].includes(classify(outcome.left).kind))
      const taken = readAskArguments(ask)
      if (E.isRight(taken)) assert.is(textOf(taken.right.state), text)
    }),
    { numRuns: 1000 },
  )
})

test('the id of a message that is too long is found where it stands first or last, and nowhere else', () => {
  const id = (text: string) => describeTooLong(Buffer.from(text), Buffer.from(text)).id
  assert.is(id('{"jsonrpc":"2.0","id":7,"method":"m"}'), 7)
  assert.is(id(' { "id" : "a-1" , "method" : "m" }'), 'a-1')
  assert.is(id('{"method":"m","params":{},"jsonrpc":"2.0","id":12}\r'), 12)
  assert.is(id('{"method":"m","params":{"id":12}}'), undefined)
  assert.is(id('{"method":"m","params":"\\",\\"id\\":12}"}'), undefined)
  assert.is(id('{"method":"m","id":12345678901234567890}'), undefined)
  assert.is(id('{"method":"m","id":null}'), undefined)
  assert.is(id('{"method":"m","id":-1.5}'), -1.5)
})

test('an error repeats the id as it was written, and nothing answers a notification', () => {
  const faultOf = (line: string) => {
    const message = readMessage(Buffer.from(line))
    if (E.isRight(message)) throw new Error('a message')
    return { ...message.left, line: writeFault(message.left).toString() }
  }
  for (const id of ['1.5', '12345678901234567890', '"a\\u0041"'])
    assert.match(faultOf(`{"id":${id},"method":3}`).line, `"id":${id},`)
  assert.not.match(faultOf('{"id":[1],"method":"m"}').line, '"id"')
  for (const params of ['1', 'null', '"x"'])
    assert.is(faultOf(`{"jsonrpc":"2.0","method":"m","params":${params}}`).isNotification, true)
  assert.is(faultOf('{"jsonrpc":"2.0"}').isNotification, undefined)
})

test('answers that nobody reads are bounded, and the session ends with stdin all the same', async () => {
  let held = 0
  const log = createLogger('off', handClock(), () => undefined)
  const { listen } = createTransport(
    {
      stdin: {
        ...{ isTTY: false, read: async () => Buffer.alloc(0) },
        async *chunks() {
          const line = `{"id":"${'x'.repeat(1000)}"}\n`
          for (let chunk = 0; chunk < 100; chunk++) yield Buffer.from(line.repeat(100))
        },
      },
      stdout: {
        isTTY: false,
        write: (data) => {
          held += data.length
          return new Promise(() => undefined)
        },
      },
      signal: new AbortController().signal,
    },
    log,
  )
  await listen()
  assert.ok(held > 8 << 20 && held < 9 << 20, `${held} bytes`)
})

test.run()
