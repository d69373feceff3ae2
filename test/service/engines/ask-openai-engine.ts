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
  EngineRequest,
} from '../../../lib/service/contract/engine'
import type { Problem } from '../../../lib/service/contract/problem'
import { defaultForm } from '../../../lib/service/engines/openai/check'
import { connect } from '../../../lib/service/engines/openai/connection'
import { createCheckedEngine, openOpenaiEngine } from '../../../lib/service/engines/openai/engine'
import type { OpenaiOptions } from '../../../lib/service/engines/openai/options'
import { type ModelServer, type ModelServerOptions, startModelServer } from './model-server'

const environment = {
  runtime: {
    fetch: createFetch({}),
    clock: nodeClock,
    random: () => 0.5,
    signal: new AbortController().signal,
  },
  tracer: noTracer,
  userAgent: 'svc/test',
}

const createOptions = (url: string, changes: Partial<OpenaiOptions>): OpenaiOptions => ({
  url,
  model: 'small',
  apiKey: undefined,
  permutations: 1,
  temperature: 1,
  concurrency: 8,
  timeout: 30_000_000_000n,
  maxRetries: 0,
  body: undefined,
  ...changes,
})

/** Creates the functions that make single calls to an endpoint. */
export const connectTo = (url: string, options: Partial<OpenaiOptions> = {}) =>
  connect(createOptions(url, options), environment)

/** Creates an engine without the check of its endpoint. */
export const createEngineAt = (url: string, options: Partial<OpenaiOptions> = {}) =>
  createCheckedEngine(E.right(defaultForm), createOptions(url, options), environment)

/** Opens an engine as `svc serve` does, with the check of its endpoint. */
export const openEngineAt = (url: string, options: Partial<OpenaiOptions> = {}) =>
  openOpenaiEngine(createOptions(url, options), environment)()

/** The weight of a preferred option. The other options have the weight 1. */
export const preferredWeight = Math.exp(3)

/** Prefers some options by their text, whatever their letter is. */
const getLogWeight = (option: string): number => {
  const isPreferred =
    option.startsWith('Yes') || option.startsWith('angry') || option === 'very urgent'
  return isPreferred ? Math.log(preferredWeight) : 0
}

/** Options for a model server that prefers the options `Yes`, `angry` and `very urgent`. */
export const defaultServerOptions: ModelServerOptions = {
  product: 'vllm',
  model: 'small',
  getLogWeight,
}

/** Runs a test with a model server, and closes the server. */
export const withModelServer = async (
  options: Partial<ModelServerOptions>,
  run: (server: ModelServer) => Promise<void>,
): Promise<void> => {
  const server = await startModelServer({ ...defaultServerOptions, ...options })
  try {
    await run(server)
  } finally {
    await server.close()
  }
}

export const billingQuestion: EngineQuestion = {
  type: 'noul',
  instructions: 'Is it about billing?',
}

export const createChoice = (labels: ReadonlyArray<string>): EngineQuestion => ({
  type: 'choice',
  instructions: 'Which tone?',
  criteria: labels.map((label) => [label, null]),
})

const urgencyQuestion: EngineQuestion = {
  type: 'score',
  criteria: ['not urgent', 'urgent', 'very urgent'].map(toJson),
}

/** A question of each type. */
export const threeQuestions = [
  ['billing', billingQuestion],
  ['tone', createChoice(['calm', 'angry', 'neutral'])],
  ['urgency', urgencyQuestion],
] as const

/** Asks an endpoint, through an engine without the check. */
export const ask = (
  url: string,
  questions: EngineRequest['questions'],
  options: Partial<OpenaiOptions> = {},
  state?: Draft,
  signal?: AbortSignal,
): Promise<E.Either<Problem, EngineAnswer>> =>
  askEngine(createEngineAt(url, options), questions, state, signal)

export const askEngine = (
  engine: AnsweringEngine,
  questions: EngineRequest['questions'],
  state: Draft = { ticket: 'I was charged twice.' },
  signal: AbortSignal = new AbortController().signal,
): Promise<E.Either<Problem, EngineAnswer>> => {
  const context = { signal, span: noSpan, compute: TE.fromIO }
  return engine.answer({ state: toJson(state), questions }, context)()
}

export const expectAnswer = async (
  asked: Promise<E.Either<Problem, EngineAnswer>>,
): Promise<EngineAnswer> => {
  const result = await asked
  assert.ok(E.isRight(result), JSON.stringify(result))
  return result.right
}

export const expectFailure = async (
  asked: Promise<E.Either<Problem, unknown>>,
  type: string,
  message: RegExp,
): Promise<Problem> => {
  const result = await asked
  assert.ok(E.isLeft(result), 'failed')
  assert.equal(result.left.type, type)
  assert.match(result.left.message, message)
  return result.left
}

export const assertNear = (actual: number | undefined, expected: number, tolerance = 1e-9): void =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < tolerance, `${actual} is not ${expected}`)
