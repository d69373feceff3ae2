import { connect } from 'node:net'
import * as E from 'fp-ts/Either'
import { Secret } from '../../lib/failure/text/secret'
import { createFetch } from '../../lib/runtime/http/fetch'
import { nodeClock } from '../../lib/runtime/node/clock'
import type { Clock } from '../../lib/runtime/runtime'
import { noTracer, type Tracer } from '../../lib/runtime/tracer'
import type {
  AnsweringEngine,
  Distribution,
  Engine,
  EngineContext,
  EngineRequest,
} from '../../lib/service/contract/engine'
import type { Problem } from '../../lib/service/contract/problem'
import {
  resolveUpstream,
  type UpstreamChoice,
} from '../../lib/service/engines/upstream/destination'
import { createUpstreamEngine } from '../../lib/service/engines/upstream/engine'
import type { Listening } from '../../lib/service/http/server'
import { createKeys } from '../../lib/service/keys/keys'
import { type ServiceOptions, startService } from '../../lib/service/start'
import { createLogger, type LogLevel } from '../../lib/tracing/log'
import { closeLater } from '../support/servers'

const options: ServiceOptions = {
  host: '127.0.0.1',
  port: 0,
  keys: createKeys([]),
  ratePerMinute: 0,
  maxConcurrent: 8,
  maxWaiting: 16,
  readMs: 5000,
  idleMs: 5000,
  answerMs: 5000,
  drainMs: 2000,
  maxBodyBytes: 2 << 20,
  trustedProxies: [],
}

export type Answer = (
  request: EngineRequest,
  context: EngineContext,
) => Promise<ReadonlyArray<Distribution> | Problem>

/** The first option of everything, for sure. */
export const firstOption = (request: EngineRequest): ReadonlyArray<Distribution> =>
  request.questions.map(([, question]): Distribution => {
    switch (question.type) {
      case 'choice':
      case 'score':
        return {
          type: question.type,
          probabilities: question.criteria.map((_, i) => (i === 0 ? 1 : 0)),
        }
      default:
        return { type: 'noul', yes: 1 }
    }
  })

/** An engine that answers as told. */
export const standIn = (answer: Answer = async (r) => firstOption(r)): AnsweringEngine => ({
  kind: 'answering',
  name: 'stand-in',
  model: { name: 'stand-in-1', description: 'For tests', release_date: '2026-01-01T00:00:00Z' },
  answer: (request, context) => async () => {
    const answers = await answer(request, context)
    return 'status' in answers
      ? E.left(answers)
      : E.right({ answers, usage: { input_tokens: 7, output_tokens: null } })
  },
  close: async () => undefined,
})

/** The flags that choose an upstream service, by their last words, its key and the time limit. */
export interface UpstreamSettings {
  readonly url?: string
  readonly provider?: UpstreamChoice['engine-provider']
  readonly dialect?: UpstreamChoice['engine-dialect']
  readonly model?: string | undefined
  readonly key?: string
  readonly timeout?: bigint
  readonly clock?: Clock
}

/** The engine that asks another service. */
export const openUpstream = async ({
  url,
  provider,
  dialect,
  model,
  key = 'engine-key',
  timeout = 2_000_000_000n,
  clock = nodeClock,
}: UpstreamSettings): Promise<Engine> => {
  const choice = {
    'engine-url': url,
    'engine-provider': provider,
    'engine-dialect': dialect,
    'engine-model': model,
    key: new Secret(key),
  }
  const place = await resolveUpstream(choice, {})()
  if (E.isLeft(place)) throw new Error(JSON.stringify(place.left))
  const runtime = { fetch: createFetch({}), clock }
  const options = { ...place.right, timeout, userAgent: 'svc/test' }
  return createUpstreamEngine(options, { runtime, tracer: noTracer })
}

export interface Running extends Listening {
  readonly port: number
  readonly lines: ReadonlyArray<string>
}

/** Options that differ from the usual ones; `keys` are listed. */
type Changes = Partial<Omit<ServiceOptions, 'keys'>> & { readonly keys?: ReadonlyArray<string> }

/** Starts a service on a port of its own. */
export const start = async (
  engine: Engine = standIn(),
  { keys, ...changes }: Changes = {},
  extra: { readonly level?: LogLevel; readonly tracer?: Tracer; readonly clock?: Clock } = {},
): Promise<Running> => {
  const lines: Array<string> = []
  const { clock = nodeClock } = extra
  const log = createLogger(extra.level ?? 'debug', clock, (line) => lines.push(line))
  const world = { clock, tracer: extra.tracer ?? noTracer, log }
  const all = {
    ...options,
    ...changes,
    ...(keys ? { keys: createKeys(keys.map((key) => ({ key }))) } : {}),
  }
  const started = await startService(engine, all, world)()
  if (E.isLeft(started)) throw new Error(JSON.stringify(started.left))
  closeLater(started.right.stop)
  return { ...started.right, port: Number(new URL(started.right.url).port), lines }
}

export const example = {
  model: 'svc-latest',
  state: { ticket: 'I was charged twice this month.' },
  questions: {
    billing: { type: 'noul', instructions: 'Is `ticket` about a billing problem?' },
    tone: { type: 'choice', criteria: { calm: 'Polite', angry: 'Hostile', neutral: null } },
    urgency: { type: 'score', criteria: ['Not urgent', 'Somewhat', 'Very urgent'] },
  },
}

/** The parts of the service's documents that tests look at. */
export interface Document {
  readonly model: string
  readonly models: ReadonlyArray<{ readonly name: string }>
  readonly answers: Readonly<Record<string, unknown>>
  readonly detail: {
    readonly error_type: string
    readonly message: string
  } & ReadonlyArray<{
    readonly loc: ReadonlyArray<string | number>
    readonly msg: string
    readonly type: string
  }>
}

export const jsonOf = async (response: Response): Promise<Document> =>
  (await response.json()) as Document

/** Posts a document with a key. */
export const post = (
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  path = '/v1/questions',
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

interface Manner {
  /** Awaited after each piece. */
  readonly pause?: (received: () => string) => Promise<void>
  /** Closes its side of the connection after the last piece. */
  readonly half?: boolean
  /** When the caller has seen enough and goes away. Default: never. */
  readonly enough?: (received: string) => boolean
}

/** Writes raw bytes to the service and gathers what comes back until the connection ends. */
export const sendRaw = (
  port: number,
  pieces: ReadonlyArray<string | Buffer>,
  { pause, half = false, enough = () => false }: Manner = {},
): Promise<string> =>
  new Promise((resolve) => {
    let received = ''
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (enough(received)) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(received))
    socket.on('connect', async () => {
      for (const piece of pieces) {
        socket.write(piece)
        await pause?.(() => received)
      }
      if (half) socket.end()
    })
  })
