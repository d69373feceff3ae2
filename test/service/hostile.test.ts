import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { servedDialects } from '../../lib/client/dialects/served-dialects'
import { nodeClock } from '../../lib/runtime/node/clock'
import type { FetchResponse } from '../../lib/runtime/runtime'
import { noSpan, noTracer } from '../../lib/runtime/tracer'
import type { AnsweringEngine } from '../../lib/service/contract/engine'
import { createLexicalEngine } from '../../lib/service/engines/lexical/engine'
import { defaultForm } from '../../lib/service/engines/openai/check'
import { createCheckedEngine } from '../../lib/service/engines/openai/engine'
import { checkOpenaiOptions } from '../../lib/service/engines/openai/options'
import { answerAsk } from '../../lib/service/http/answer-questions'
import { createComputeQueue } from '../../lib/service/http/call-engine'

const test = suite('service: hostile texts and callers')

const [dialect] = servedDialects
const never = new AbortController().signal

/** A language model's answer to any prompt of two options. */
const completion = JSON.stringify({
  choices: [
    {
      logprobs: {
        content: [
          {
            token: 'A',
            logprob: -0.1,
            top_logprobs: [
              { token: 'A', logprob: -0.1 },
              { token: 'B', logprob: -3 },
            ],
          },
        ],
      },
    },
  ],
  usage: { prompt_tokens: 10_000_000, completion_tokens: 1 },
})

const respond = async (): Promise<FetchResponse> => ({
  status: 200,
  header: () => null,
  body: (async function* () {
    yield Buffer.from(completion)
  })(),
})

const openai = (): AnsweringEngine => {
  const options = checkOpenaiOptions({
    ...{
      url: 'http://127.0.0.1:1',
      model: 'm',
      apiKey: undefined,
      permutations: 1,
      temperature: 1,
    },
    concurrency: 8,
    timeout: 0n,
    maxRetries: 0,
    body: undefined,
  })
  if (E.isLeft(options)) throw new Error(JSON.stringify(options.left))
  const runtime = { fetch: respond, clock: nodeClock, random: () => 0.5, signal: never }
  return createCheckedEngine(E.right(defaultForm), options.right, {
    runtime,
    tracer: noTracer,
    userAgent: 'svc',
  })
}

/** The most matches of regular expressions that `run` makes between two turns of the event loop. */
const countMatches = async (run: () => Promise<unknown>): Promise<number> => {
  const { exec } = RegExp.prototype
  let [most, here, isRunning] = [0, 0, true]
  const beginTurn = (): void => {
    here = 0
    if (isRunning) setImmediate(beginTurn)
  }
  RegExp.prototype.exec = function (text) {
    here += 1
    most = Math.max(most, here)
    return exec.call(this, text)
  }
  beginTurn()
  try {
    await run()
  } finally {
    isRunning = false
    RegExp.prototype.exec = exec
  }
  return most
}

/** Requests that hold a JSON text in one field. */
const fields: Readonly<Record<string, (text: string) => string>> = {
  state: (text) => `{"state":"${text}","questions":{"q":{"type":"noul","instructions":"a"}}}`,
  list: (text) => `{"state":["${text}"],"questions":{"q":{"type":"noul","instructions":"a"}}}`,
  id: (text) => `{"state":"a","questions":{"${text}":{"type":"noul"}}}`,
  instructions: (text) =>
    `{"state":"a","questions":{"q":{"type":"noul","instructions":"${text}"}}}`,
  label: (text) =>
    `{"state":"a","questions":{"q":{"type":"choice","criteria":{"${text}":null,"b":null}}}}`,
  level: (text) => `{"state":"a","questions":{"q":{"type":"score","criteria":["${text}","b"]}}}`,
  model: (text) => `{"model":"${text}","state":"a","questions":{"q":{"type":"noul"}}}`,
}

/** JSON texts of which 2 MiB made expressions take long or end the process: names, Chinese, apostrophes, escapes. */
const pieces = ['`a` ', '\u4e2d', "'", '\\/']

/** A fourth of the largest body shows the openai engine, since the lexical one has shown what both have in common. */
for (const [name, engine, size] of [
  ['lexical', createLexicalEngine(), 2 << 20],
  ['openai', openai(), 1 << 19],
] as const)
  test(`${name}: no text of ${size} bytes in any field makes for countless matches`, async () => {
    for (const [field, write] of Object.entries(fields))
      for (const piece of pieces) {
        const text = piece.repeat((size - 100) / Buffer.byteLength(piece))
        const body = Buffer.from(write(text))
        const compute = createComputeQueue()(never)
        const context = { signal: never, span: noSpan, compute }
        let status = 200
        const matches = await countMatches(async () => {
          const answered = await answerAsk(engine, { dialect, body }, context, () => undefined)()
          if (E.isLeft(answered)) status = answered.left.status
        })
        assert.ok([200, 400, 422].includes(status), `${field}: ${piece}: ${status}`)
        assert.ok(matches < 150_000, `${field}: ${matches} matches of ${piece}`)
      }
  })

const createWords = (count: number): string =>
  Array.from({ length: count }, (_, i) => i.toString(36)).join(' ')

test('refuses 60,000 names and 60,000 words before comparing them', async () => {
  const names = `\`${createWords(60_000).replaceAll(' ', '` `')}\``
  const questions = { q: { type: 'noul', instructions: names } }
  const body = Buffer.from(JSON.stringify({ state: createWords(60_000), questions }))
  const compute = createComputeQueue()(never)
  const context = { signal: never, span: noSpan, compute }
  let message = ''
  const matches = await countMatches(async () => {
    const answered = await answerAsk(
      createLexicalEngine(),
      { dialect, body },
      context,
      () => undefined,
    )()
    if (E.isLeft(answered)) message = answered.left.message
  })
  assert.match(message, /120000 words, at most 32768$/)
  assert.is(matches, 0)
})

test('callers who leave at once cost at most one piece of work', async () => {
  const computeInTurn = createComputeQueue()
  const leave = new AbortController()
  const pieces: string[] = []
  const ask = (holder: string, state: string, signal: AbortSignal) => {
    const questions = { q: { type: 'noul', instructions: 'Was it paid?' } }
    const body = Buffer.from(JSON.stringify({ state, questions }))
    const compute = <A>(work: () => A) =>
      computeInTurn(
        signal,
        holder,
      )(() => {
        pieces.push(holder)
        leave.abort()
        return work()
      })
    const context = { signal, span: noSpan, compute }
    return answerAsk(createLexicalEngine(), { dialect, body }, context, () => undefined)()
  }
  const leaving = Array.from({ length: 50 }, () =>
    ask('leaving', createWords(30_000), leave.signal),
  )
  const answered = await ask('staying', 'It was paid.', never)
  assert.ok(E.isRight(answered))
  await Promise.all(leaving)
  assert.equal(
    pieces.filter((holder) => holder === 'leaving'),
    ['leaving'],
  )
  assert.is(pieces.at(-1), 'staying')
})

test.run()
