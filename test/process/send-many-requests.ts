import { Agent, type IncomingMessage, request } from 'node:http'
import { createRandom } from '../../lib/runtime/random'

const sentence = 'I was charged twice this month and nobody answers. '

/** Creates a request with a text of about this size, and a question of each type. A `noul` is a yes/no question. */
const createRequest = (bytes: number): string =>
  JSON.stringify({
    state: { ticket: sentence.repeat(Math.ceil(bytes / sentence.length)) },
    questions: {
      billing: { type: 'noul', instructions: 'Is `ticket` about a billing problem?' },
      tone: { type: 'choice', criteria: { calm: 'Polite', angry: 'Hostile', neutral: null } },
      urgency: { type: 'score', criteria: ['Not urgent', 'Somewhat', 'Very urgent'] },
    },
  })

/** Creates a request without a state, whose questions lack their labels. */
const createRequestWithFaults = (): string => {
  const questions = Array.from({ length: 100 }, (_, i) => `"q${i}":{"type":"choice"}`)
  return `{"questions":{${questions.join(',')}}}`
}

/** Creates a request whose response has 1 MB: 2 answers of 250 labels of 2 kB. */
const createRequestForLargeResponse = (): string => {
  const labels = Array.from({ length: 250 }, (_, i) => `"${i}${'x'.repeat(2000)}":null`)
  const question = `{"type":"choice","criteria":{${labels.join(',')}}}`
  return `{"state":1,"questions":{"a":${question},"b":${question}}}`
}

interface RequestKind {
  readonly name: string
  /** The frequency of this kind, relative to the weights of the other kinds. */
  readonly weight: number
  /** The correct statuses. 529 means that the service is busy. An aborted request gets no response. */
  readonly statuses: ReadonlyArray<number>
  readonly body: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** `read late` waits before it reads the response. `abort` waits for less time, and then closes the connection. */
  readonly behavior?: 'read late' | 'abort'
}

const requestKinds: ReadonlyArray<RequestKind> = [
  { name: 'small', weight: 60, statuses: [200], body: createRequest(100) },
  { name: '20 KiB', weight: 8, statuses: [200], body: createRequest(20 << 10) },
  {
    // The engine reads at most 32,768 words. This request has about 185,000.
    name: '1 MiB, too many words',
    weight: 0.3,
    statuses: [400, 529],
    body: createRequest(1 << 20),
  },
  { name: 'invalid questions', weight: 6, statuses: [422], body: createRequestWithFaults() },
  { name: 'no JSON', weight: 5, statuses: [400], body: '{"state":' },
  {
    // The service runs without API keys, so a request needs none.
    name: 'no key',
    weight: 4,
    statuses: [200],
    body: createRequest(20 << 10),
    headers: { authorization: '' },
  },
  {
    name: 'another content type',
    weight: 3,
    statuses: [415],
    body: 'x',
    headers: { 'content-type': 'text/plain' },
  },
  { name: 'unknown path', weight: 3, statuses: [404], body: '', path: '/v2' },
  {
    name: 'late reader',
    weight: 0.7,
    statuses: [200, 529],
    body: createRequestForLargeResponse(),
    behavior: 'read late',
  },
  { name: 'abort', weight: 10, statuses: [], body: createRequest(20 << 10), behavior: 'abort' },
]

const totalWeight = requestKinds.reduce((sum, { weight }) => sum + weight, 0)

/** Chooses a kind by its weight. `random` is in [0, 1). */
const chooseKind = (random: number): RequestKind => {
  let remainingWeight = random * totalWeight
  for (const kind of requestKinds) {
    remainingWeight -= kind.weight
    if (remainingWeight < 0) return kind
  }
  // Only a rounding error of the sum leads here.
  return requestKinds[0] as RequestKind
}

interface RequestOptions {
  readonly url: string
  readonly agent: Agent
  readonly kind: RequestKind
  /** The pause of a late reader. An abort comes after a tenth of it. */
  readonly pauseMs: number
}

/**
 * Sends one request. Resolves once it has ended. Rejects if its status is wrong or if the connection fails. A request that is to be
 * aborted never rejects.
 */
const sendRequest = ({ url, agent, kind, pauseMs }: RequestOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    const { name, body, path = '/v1/questions', behavior, statuses } = kind
    const fail = (reason: string): void => reject(new Error(`${name}: ${reason}`))
    const headers = {
      authorization: 'Bearer soak',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...kind.headers,
    }
    const call = request(`${url}${path}`, { method: 'POST', agent, headers })
    if (behavior === 'abort') {
      call.on('error', () => undefined)
      call.on('close', resolve)
      call.end(body)
      setTimeout(() => call.destroy(), pauseMs / 10)
      return
    }
    const readResponse = (response: IncomingMessage): void => {
      response.on('error', (error) => fail(error.message))
      response.resume().on('end', resolve)
    }
    call.on('response', (response) => {
      if (!statuses.includes(response.statusCode ?? 0)) fail(`status ${response.statusCode}`)
      else if (behavior === 'read late') setTimeout(() => readResponse(response), pauseMs)
      else readResponse(response)
    })
    call.on('error', (error) => fail(error.message))
    call.end(body)
  })

/**
 * Sends `count` requests of random kinds to a service, `concurrency` at a time. Resolves to the number of requests of each kind. Rejects
 * at the first response that is wrong.
 */
export const sendManyRequests = async (
  url: string,
  options: { readonly count: number; readonly concurrency: number; readonly seed: number },
): Promise<ReadonlyMap<string, number>> => {
  const agent = new Agent({ keepAlive: true, maxSockets: options.concurrency })
  const random = createRandom(options.seed)
  const counts = new Map<string, number>()
  let startedCount = 0
  /** Sends one request after another, until all have been sent. `concurrency` of these functions share the work. */
  const sendRequests = async (): Promise<void> => {
    while (startedCount < options.count) {
      startedCount += 1
      const kind = chooseKind(random.nextFloat())
      await sendRequest({ url, agent, kind, pauseMs: 50 * random.nextFloat() })
      counts.set(kind.name, (counts.get(kind.name) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, sendRequests))
  agent.destroy()
  return counts
}
