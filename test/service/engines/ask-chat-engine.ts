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
import { defaultForm } from '../../../lib/service/engines/chat/check'
import { createConnection } from '../../../lib/service/engines/chat/connection'
import { createCheckedEngine } from '../../../lib/service/engines/chat/engine'
import { openEndpoint } from '../../../lib/service/engines/chat/open-chat'
import type { ChatOptions } from '../../../lib/service/engines/chat/options'
import { createServeNames } from './engine-settings'
import {
  type Fault,
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from './model-server'

/** The timeout of a call to the model server: 30 seconds. */
const callTimeoutNs = 30_000_000_000n

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

const createOptions = (url: string, changedOptions: Partial<ChatOptions>): ChatOptions => ({
  url,
  model: 'small',
  apiKey: undefined,
  permutations: 1,
  temperature: 1,
  concurrency: 8,
  timeout: callTimeoutNs,
  maxRetries: 0,
  extraMembers: undefined,
  names: createServeNames('chat'),
  ...changedOptions,
})

/** Creates the functions that make single calls to an endpoint. */
export const connectTo = (url: string, options: Partial<ChatOptions> = {}) =>
  createConnection(createOptions(url, options), environment)

/** Creates an engine whose endpoint counts as checked, so it sends no trial question. */
export const createUncheckedEngine = (url: string, options: Partial<ChatOptions> = {}) =>
  createCheckedEngine(E.right(defaultForm), createOptions(url, options), environment)

/** Opens an engine as `svc serve` does: it checks the endpoint. */
export const openEngine = (url: string, options: Partial<ChatOptions> = {}) =>
  openEndpoint(createOptions(url, options), { ...environment, purpose: 'service' })()

/** The weight of a preferred option. The other options have the weight 1. */
export const preferredWeight = Math.exp(3)

/** Returns the log-weight of an option by its text. Its letter does not matter, so the order of the options does not either. */
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

/** Options of a model server that fails every request alike. */
export const failWith = (fault: Fault): Partial<ModelServerOptions> => ({ getFault: () => fault })

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

/** A noul: a yes/no question. */
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

interface RequestOptions {
  /** The material that the questions are about. */
  readonly state?: Draft
  readonly signal?: AbortSignal
}

/** Asks an endpoint, through an engine that does not check it. `engineOptions` changes the default options of the engine. */
export const askEndpoint = (
  url: string,
  questions: EngineRequest['questions'],
  options: RequestOptions & { readonly engineOptions?: Partial<ChatOptions> } = {},
): Promise<E.Either<Problem, EngineAnswer>> =>
  askEngine(createUncheckedEngine(url, options.engineOptions), questions, options)

export const askEngine = (
  engine: AnsweringEngine,
  questions: EngineRequest['questions'],
  options: RequestOptions = {},
): Promise<E.Either<Problem, EngineAnswer>> => {
  const { state = { ticket: 'I was charged twice.' }, signal = new AbortController().signal } =
    options
  const context = { signal, span: noSpan, compute: TE.fromIO }
  return engine.answer({ state: toJson(state), questions }, context)()
}

/** Returns the answer. Asserts that the engine has not failed. */
export const expectAnswer = async (
  answerPromise: Promise<E.Either<Problem, EngineAnswer>>,
): Promise<EngineAnswer> => {
  const result = await answerPromise
  assert.ok(E.isRight(result), JSON.stringify(result))
  return result.right
}

/** Returns the problem. Asserts that the engine has failed with this type and message. */
export const expectFailure = async (
  answerPromise: Promise<E.Either<Problem, unknown>>,
  type: string,
  message: RegExp,
): Promise<Problem> => {
  const result = await answerPromise
  assert.ok(E.isLeft(result), 'the engine answered')
  assert.equal(result.left.type, type)
  assert.match(result.left.message, message)
  return result.left
}

export const assertNear = (actual: number | undefined, expected: number, tolerance = 1e-9): void =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < tolerance, `${actual} is not ${expected}`)
