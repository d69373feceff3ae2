import { connect } from 'node:net'
import * as E from 'fp-ts/Either'
import { createFetch } from '../../lib/runtime/http/fetch'
import { nodeClock } from '../../lib/runtime/node/clock'
import type { Clock } from '../../lib/runtime/runtime'
import { noTracer, type Tracer } from '../../lib/runtime/tracer'
import type { AnswerLog } from '../../lib/service/answer-log/answer-log'
import type {
  AnsweringEngine,
  Distribution,
  Engine,
  EngineContext,
  EngineRequest,
} from '../../lib/service/contract/engine'
import type { Problem } from '../../lib/service/contract/problem'
import { resolveUpstream, type UpstreamFlags } from '../../lib/service/engines/upstream/destination'
import { createUpstreamEngine } from '../../lib/service/engines/upstream/engine'
import type { Listening } from '../../lib/service/http/server'
import { createKeys } from '../../lib/service/keys/keys'
import { type ServiceOptions, startService as startRealService } from '../../lib/service/start'
import { Secret } from '../../lib/text/secret'
import { createLogger, type LogLevel } from '../../lib/tracing/log'
import { closeLater } from '../support/servers'

const defaultOptions: ServiceOptions = {
  host: '127.0.0.1',
  port: 0,
  keys: createKeys([]),
  maxRequestsPerMinute: 0,
  maxConcurrent: 8,
  maxWaiting: 16,
  readTimeoutMs: 5000,
  idleTimeoutMs: 5000,
  answerTimeoutMs: 5000,
  drainTimeoutMs: 2000,
  maxBodyBytes: 2 << 20,
  trustedProxies: [],
}

/** The function with which a stub engine answers a request: with answers to its questions, or with a problem. */
export type StubAnswer = (
  request: EngineRequest,
  context: EngineContext,
) => Promise<ReadonlyArray<Distribution> | Problem>

/** Gives the first option of each question the probability 1. The first option of a yes/no question (`noul`) is yes. */
export const chooseFirstOptions = ({ questions }: EngineRequest): ReadonlyArray<Distribution> =>
  questions.map(([, question]) => {
    if (question.type === 'noul') return { type: 'noul', yes: 1 }
    const probabilities = question.criteria.map((_, i) => (i === 0 ? 1 : 0))
    return { type: question.type, probabilities }
  })

/** Creates an engine in this process that answers with the result of `answer`. */
export const createStubEngine = (
  answer: StubAnswer = async (request) => chooseFirstOptions(request),
): AnsweringEngine => ({
  kind: 'answering',
  name: 'stub',
  model: { name: 'stub-1', description: 'For tests', release_date: '2026-01-01T00:00:00Z' },
  answer: (request, context) => async () => {
    const result = await answer(request, context)
    // Only a problem has a status.
    if ('status' in result) return E.left(result)
    return E.right({ answers: result, usage: { input_tokens: 7, output_tokens: null } })
  },
  close: async () => undefined,
})

/** The settings of the `upstream` engine. The first four are its flags `--engine-url`, `--engine-provider` and so on. */
export interface UpstreamSettings {
  readonly url?: string
  readonly provider?: UpstreamFlags['provider']
  readonly dialect?: UpstreamFlags['dialect']
  readonly model?: string | undefined
  /** The key for the upstream service. Default `engine-key`. */
  readonly key?: string
  /** The time limit of a request, in nanoseconds. Default: two seconds. */
  readonly timeout?: bigint
  readonly clock?: Clock
}

const twoSeconds = 2_000_000_000n

/** An empty environment. */
const noVariables = {}

/** Opens the engine that asks another service. Throws if the settings do not fit together. */
export const openUpstream = async (settings: UpstreamSettings): Promise<Engine> => {
  const { key = 'engine-key', timeout = twoSeconds, clock = nodeClock } = settings
  const flags = {
    url: settings.url,
    provider: settings.provider,
    dialect: settings.dialect,
    model: settings.model,
    key: new Secret(key),
  }
  const destination = await resolveUpstream(flags, noVariables)()
  if (E.isLeft(destination)) throw new Error(JSON.stringify(destination.left))
  const runtime = { fetch: createFetch({}), clock }
  const options = { ...destination.right, timeout, userAgent: 'svc/test' }
  return createUpstreamEngine(options, { runtime, tracer: noTracer })
}

/** Starts a service whose engine asks the upstream service of these settings. */
export const startWithUpstream = async (settings: UpstreamSettings): Promise<RunningService> =>
  startService(await openUpstream(settings))

/** A service that a test has started in this process. */
export interface RunningService extends Listening {
  readonly port: number
  /** The lines that the service has logged so far. */
  readonly logLines: ReadonlyArray<string>
}

/** The options of a service that differ from the default ones, and parts of its environment. */
interface TestServiceOptions extends Partial<Omit<ServiceOptions, 'keys'>> {
  /** The accepted keys. Without keys the service accepts any. */
  readonly keys?: ReadonlyArray<string>
  /** The minimum level of `logLines`. Default `debug`. */
  readonly level?: LogLevel
  readonly tracer?: Tracer
  readonly clock?: Clock
  readonly answerLog?: AnswerLog
}

/** Starts a service on a free port. It stops after the test if the suite has `closeAfterEach`. */
export const startService = async (
  engine: Engine = createStubEngine(),
  options: TestServiceOptions = {},
): Promise<RunningService> => {
  const {
    keys = [],
    level = 'debug',
    tracer = noTracer,
    clock = nodeClock,
    answerLog,
    ...changedOptions
  } = options
  const logLines: string[] = []
  const log = createLogger(level, clock, (line) => logLines.push(line))
  const serviceOptions = {
    ...defaultOptions,
    ...changedOptions,
    keys: createKeys(keys.map((key) => ({ key }))),
  }
  const started = await startRealService(engine, serviceOptions, {
    clock,
    tracer,
    log,
    answerLog,
  })()
  if (E.isLeft(started)) throw new Error(JSON.stringify(started.left))
  const { url, stop } = started.right
  closeLater(stop)
  return { ...started.right, port: Number(new URL(url).port), logLines }
}

/** A request with a question of each type. `noul` is the type of yes/no questions. */
export const exampleRequest = {
  model: 'svc-latest',
  state: { ticket: 'I was charged twice this month.' },
  questions: {
    billing: { type: 'noul', instructions: 'Is `ticket` about a billing problem?' },
    tone: { type: 'choice', criteria: { calm: 'Polite', angry: 'Hostile', neutral: null } },
    urgency: { type: 'score', criteria: ['Not urgent', 'Somewhat', 'Very urgent'] },
  },
}

/** The members of the service's responses that tests read. */
interface ResponseDocument {
  readonly model: string
  readonly models: ReadonlyArray<{ readonly name: string }>
  readonly answers: Readonly<Record<string, unknown>>
  /** An object, or a list of faults if the status is 422. */
  readonly detail: {
    readonly error_type: string
    readonly message: string
  } & ReadonlyArray<{
    readonly loc: ReadonlyArray<string | number>
    readonly msg: string
    readonly type: string
  }>
}

/** Reads a response as JSON. The type promises all members, but a response has only some of them. */
export const readJson = async (response: Response): Promise<ResponseDocument> =>
  (await response.json()) as ResponseDocument

interface PostOptions {
  /** Headers that are added to the default ones, or replace them. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default `/v1/questions`. */
  readonly path?: string
  /** Disconnects when it fires. */
  readonly signal?: AbortSignal
}

/** Posts a document with the key `k`. A string is sent unchanged, any other value as JSON. */
export const post = (
  url: string,
  body: unknown,
  { headers = {}, path = '/v1/questions', signal }: PostOptions = {},
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: signal ?? null,
  })

/** Posts the example request, and disconnects when `signal` fires. Resolves with `undefined` if it has disconnected. */
export const postUntilAborted = (service: RunningService, signal: AbortSignal): Promise<unknown> =>
  post(service.url, exampleRequest, { signal }).catch(() => undefined)

interface SendOptions {
  /** Called and awaited after each chunk. `readReceived` returns all that the client has received so far. */
  readonly pause?: (readReceived: () => string) => Promise<void>
  /** If true, the client closes its half of the connection after the last chunk. */
  readonly endsAfterSending?: boolean
  /** The client disconnects as soon as this returns true for all that it has received. */
  readonly isComplete?: (received: string) => boolean
}

/** Writes raw bytes to a service. Returns all bytes that come back until the connection ends, as Latin-1. */
export const sendRaw = (
  port: number,
  chunks: ReadonlyArray<string | Buffer>,
  { pause, endsAfterSending = false, isComplete = () => false }: SendOptions = {},
): Promise<string> =>
  new Promise((resolve) => {
    let received = ''
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (isComplete(received)) socket.destroy()
    })
    // Node emits `close` after an error.
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(received))
    socket.on('connect', async () => {
      for (const chunk of chunks) {
        socket.write(chunk)
        await pause?.(() => received)
      }
      if (endsAfterSending) socket.end()
    })
  })
