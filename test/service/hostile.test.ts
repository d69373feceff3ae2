import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeClock } from '../../lib/runtime/node/clock'
import { nodeFiles } from '../../lib/runtime/node/files'
import type { FetchResponse } from '../../lib/runtime/runtime'
import { noSpan, noTracer } from '../../lib/runtime/tracer'
import type { AnsweringEngine, EngineContext } from '../../lib/service/contract/engine'
import { servedDialects } from '../../lib/service/dialects/served-dialects'
import { defaultForm } from '../../lib/service/engines/chat/check'
import { createCheckedEngine } from '../../lib/service/engines/chat/engine'
import { checkChatOptions } from '../../lib/service/engines/chat/options'
import { createEmbeddedEngine } from '../../lib/service/engines/embedded/open-embedded'
import { answerAsk } from '../../lib/service/http/answer-questions'
import { createComputeQueue } from '../../lib/service/http/call-engine'
import { createServeNames, defaultSettings } from './engines/engine-settings'

const test = suite('service: hostile texts and callers')

/** The dialect of /v1/questions. */
const [dialect] = servedDialects
const neverAborted = new AbortController().signal

/** A chat completion that answers A of two options. */
const completion = {
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
  // More tokens than any prompt of these tests has. With fewer, the engine would report that the endpoint cut the prompt.
  usage: { prompt_tokens: 10_000_000, completion_tokens: 1 },
}

const fetchCompletion = async (): Promise<FetchResponse> => ({
  status: 200,
  header: () => null,
  body: (async function* () {
    yield Buffer.from(JSON.stringify(completion))
  })(),
})

/** Creates a chat engine whose endpoint always returns `completion`. */
const createChatEngine = (): AnsweringEngine => {
  const settings = { ...defaultSettings, url: 'http://127.0.0.1:1', model: 'm' }
  const options = checkChatOptions(settings, createServeNames('chat'), {})
  if (E.isLeft(options)) throw new Error(JSON.stringify(options.left))
  const runtime = {
    fetch: fetchCompletion,
    clock: nodeClock,
    random: () => 0.5,
    signal: neverAborted,
  }
  const environment = { runtime, tracer: noTracer, userAgent: 'svc' }
  return createCheckedEngine(E.right(defaultForm), options.right, environment)
}

/** Answers a request document as the service does, without HTTP. */
const answer = (
  engine: AnsweringEngine,
  body: string,
  compute: EngineContext['compute'] = createComputeQueue().forRequest(neverAborted),
) => {
  const document = { dialect, body: Buffer.from(body) }
  const context = { signal: neverAborted, span: noSpan, compute }
  return answerAsk(engine, document, context, () => undefined)()
}

/**
 * Runs `work`. Returns its result, and the maximum number of calls of `RegExp.prototype.exec` between two turns of the event loop. This
 * number stands for the time in which `work` blocks all other requests, because svc splits texts into words with a regular expression.
 * Unlike a time, the number does not depend on the machine.
 */
const measureMatches = async <A>(
  work: () => Promise<A>,
): Promise<{ readonly result: A; readonly maxMatchesPerTurn: number }> => {
  const originalExec = RegExp.prototype.exec
  let maxMatchesPerTurn = 0
  let countInTurn = 0
  let isRunning = true
  const beginTurn = (): void => {
    countInTurn = 0
    if (isRunning) setImmediate(beginTurn)
  }
  RegExp.prototype.exec = function (text) {
    countInTurn += 1
    maxMatchesPerTurn = Math.max(maxMatchesPerTurn, countInTurn)
    return originalExec.call(this, text)
  }
  beginTurn()
  try {
    const result = await work()
    return { result, maxMatchesPerTurn }
  } finally {
    isRunning = false
    RegExp.prototype.exec = originalExec
  }
}

/** Creates request documents, each with a text in one member, by the name of that member. `text` is already escaped for JSON. */
const createRequests = (text: string): Readonly<Record<string, string>> => ({
  state: `{"state":"${text}","questions":{"q":{"type":"noul","instructions":"a"}}}`,
  'array in the state': `{"state":["${text}"],"questions":{"q":{"type":"noul","instructions":"a"}}}`,
  id: `{"state":"a","questions":{"${text}":{"type":"noul"}}}`,
  instructions: `{"state":"a","questions":{"q":{"type":"noul","instructions":"${text}"}}}`,
  label: `{"state":"a","questions":{"q":{"type":"choice","criteria":{"${text}":null,"b":null}}}}`,
  level: `{"state":"a","questions":{"q":{"type":"score","criteria":["${text}","b"]}}}`,
  model: `{"model":"${text}","state":"a","questions":{"q":{"type":"noul"}}}`,
})

/**
 * JSON texts that are costly if they are repeated to 2 MiB: names in backquotes, ideographs, apostrophes and escapes. With earlier
 * versions of svc, such a request took minutes or crashed the process.
 */
const costlyTexts = ['`a` ', '\u4e2d', "'", '\\/']

// The chat engine gets only a quarter of the maximum body, because the embedded engine already tests the code that both share.
const engines: ReadonlyArray<{ readonly engine: AnsweringEngine; readonly bodyBytes: number }> = [
  { engine: createEmbeddedEngine(nodeFiles), bodyBytes: 2 << 20 },
  { engine: createChatEngine(), bodyBytes: 1 << 19 },
]

for (const { engine, bodyBytes } of engines)
  for (const costlyText of costlyTexts)
    test(`${engine.name}: ${bodyBytes} bytes of ${JSON.stringify(costlyText)} in any member cause fewer than 150,000 matches per turn`, async () => {
      // 100 bytes are left for the rest of the document.
      const text = costlyText.repeat(Math.floor((bodyBytes - 100) / Buffer.byteLength(costlyText)))
      for (const [member, body] of Object.entries(createRequests(text))) {
        const { result, maxMatchesPerTurn } = await measureMatches(() => answer(engine, body))
        const status = E.isLeft(result) ? result.left.status : 200
        assert.ok([200, 400, 422].includes(status), `${member}: ${status}`)
        // svc compares at most 32,768 words of a request. The limit leaves a few matches for each.
        assert.ok(maxMatchesPerTurn < 150_000, `${member}: ${maxMatchesPerTurn} matches`)
      }
    })

const createWords = (count: number): string =>
  Array.from({ length: count }, (_, i) => i.toString(36)).join(' ')

test('refuses a request with too many words before it compares them', async () => {
  const words = createWords(60_000)
  const names = `\`${words.replaceAll(' ', '` `')}\``
  const questions = { q: { type: 'noul', instructions: names } }
  const body = JSON.stringify({ state: words, questions })
  const { result, maxMatchesPerTurn } = await measureMatches(() =>
    answer(createEmbeddedEngine(nodeFiles), body),
  )
  assert.ok(E.isLeft(result))
  assert.match(result.left.message, /120000 words, at most 32768$/)
  assert.is(maxMatchesPerTurn, 0)
})

test('computes at most once for 50 callers who disconnect, and answers another caller', async () => {
  const queue = createComputeQueue()
  const disconnect = new AbortController()
  const computedFor: string[] = []
  const ask = (caller: string, state: string, signal: AbortSignal) => {
    const questions = { q: { type: 'noul', instructions: 'Was it paid?' } }
    const computeInTurn = queue.forRequest(signal, caller)
    /** Waits for the caller's turn. Then notes the caller, disconnects the leaving callers, and computes. */
    const compute: EngineContext['compute'] = (work) =>
      computeInTurn(() => {
        computedFor.push(caller)
        disconnect.abort()
        return work()
      })
    return answer(createEmbeddedEngine(nodeFiles), JSON.stringify({ state, questions }), compute)
  }
  const longState = createWords(30_000)
  const leaving = Array.from({ length: 50 }, () => ask('leaving', longState, disconnect.signal))
  const result = await ask('staying', 'It was paid.', neverAborted)
  await Promise.all(leaving)
  assert.ok(E.isRight(result))
  assert.is(computedFor.filter((caller) => caller === 'leaving').length, 1)
})

test.run()
