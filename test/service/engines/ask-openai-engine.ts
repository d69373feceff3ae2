import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { type Draft, toJson } from '../../../lib/codec/json/draft'
import { createFetch } from '../../../lib/runtime/http/fetch'
import { nodeClock } from '../../../lib/runtime/node/clock'
import { noSpan, noTracer } from '../../../lib/runtime/tracer'
import type {
  AnsweringEngine,
  EngineAnswer,
  EngineQuestion,
} from '../../../lib/service/contract/engine'
import type { Problem } from '../../../lib/service/contract/problem'
import { defaultForm } from '../../../lib/service/engines/openai/check'
import { connect } from '../../../lib/service/engines/openai/connection'
import { createCheckedEngine, openOpenaiEngine } from '../../../lib/service/engines/openai/engine'
import type { OpenaiOptions } from '../../../lib/service/engines/openai/options'
import { type ModelServer, type ModelServerOptions, startModelServer } from './model-server'

const outside = {
  runtime: {
    fetch: createFetch({}),
    clock: nodeClock,
    random: () => 0.5,
    signal: new AbortController().signal,
  },
  tracer: noTracer,
  userAgent: 'svc/test',
}

const optionsFor = (url: string, options: Partial<OpenaiOptions>): OpenaiOptions => ({
  url,
  model: 'small',
  apiKey: undefined,
  permutations: 1,
  temperature: 1,
  concurrency: 8,
  timeout: 30_000_000_000n,
  maxRetries: 0,
  body: undefined,
  ...options,
})

/** Calls to an engine, one by one. */
export const connectTo = (url: string, options: Partial<OpenaiOptions> = {}) =>
  connect(optionsFor(url, options), outside)

/** The engine after a check that found nothing unusual. */
export const engineAt = (url: string, options: Partial<OpenaiOptions> = {}) =>
  createCheckedEngine(E.right(defaultForm), optionsFor(url, options), outside)

/** The result of the check of an engine at the start. */
export const startAt = (url: string, options: Partial<OpenaiOptions> = {}) =>
  openOpenaiEngine(optionsFor(url, options), outside)()

const context = (signal: AbortSignal = new AbortController().signal) => ({
  signal,
  span: noSpan,
  compute: TE.fromIO,
})

/** The odds of an option that is preferred. */
export const strong = Math.exp(3)

/** Prefers options by words of theirs, whatever the letter. */
export const prefer = (option: string): number =>
  option.startsWith('Yes') || option.startsWith('angry') || option === 'very urgent' ? 3 : 0

export const withModelServer = async (
  options: Partial<ModelServerOptions>,
  run: (server: ModelServer) => Promise<void>,
): Promise<void> => {
  const server = await startModelServer({ shape: 'vllm', model: 'small', prefer, ...options })
  try {
    await run(server)
  } finally {
    await server.close()
  }
}

export const noul: EngineQuestion = { type: 'noul', instructions: 'Is it about billing?' }
export const choice = (labels: ReadonlyArray<string>): EngineQuestion => ({
  type: 'choice',
  instructions: 'Which tone?',
  criteria: labels.map((label) => [label, null]),
})
const score: EngineQuestion = {
  type: 'score',
  criteria: ['not urgent', 'urgent', 'very urgent'].map(toJson),
}
export const three = [
  ['billing', noul],
  ['tone', choice(['calm', 'angry', 'neutral'])],
  ['urgency', score],
] as const

export const ask = (
  url: string,
  questions: ReadonlyArray<readonly [string, EngineQuestion]>,
  options: Partial<OpenaiOptions> = {},
  state: Draft = { ticket: 'I was charged twice.' },
  signal?: AbortSignal,
): Promise<E.Either<Problem, EngineAnswer>> =>
  askEngine(engineAt(url, options), questions, state, signal)

/** Asks an engine. */
export const askEngine = (
  engine: AnsweringEngine,
  questions: ReadonlyArray<readonly [string, EngineQuestion]>,
  state: Draft = { ticket: 'I was charged twice.' },
  signal?: AbortSignal,
): Promise<E.Either<Problem, EngineAnswer>> =>
  engine.answer({ state: toJson(state), questions }, context(signal))()

export const expectAnswer = async (outcome: Promise<E.Either<Problem, EngineAnswer>>) => {
  const result = await outcome
  assert.ok(E.isRight(result), JSON.stringify(result))
  return result.right
}
export const expectFailure = async (
  outcome: Promise<E.Either<Problem, unknown>>,
  type: string,
  message: RegExp,
) => {
  const result = await outcome
  assert.ok(E.isLeft(result), 'failed')
  assert.equal(result.left.type, type)
  assert.match(result.left.message, message)
  return result.left
}
export const near = (one: number | undefined, other: number, by = 1e-9) =>
  assert.ok(Math.abs((one ?? Number.NaN) - other) < by, `${one} is not ${other}`)
