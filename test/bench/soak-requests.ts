import { Agent, type IncomingMessage, request } from 'node:http'
import { createRandom } from '../../lib/runtime/random'

/** How long the answered ones of small requests took, in ms, in the order in which they ended. */
export interface Soaked {
  readonly latencies: ReadonlyArray<number>
  /** How many there were of each kind. */
  readonly kinds: ReadonlyMap<string, number>
}

const sentence = 'I was charged twice this month and nobody answers. '
const asking = (bytes: number): string =>
  JSON.stringify({
    state: { ticket: sentence.repeat(Math.ceil(bytes / sentence.length)) },
    questions: {
      billing: { type: 'noul', instructions: 'Is `ticket` about a billing problem?' },
      tone: { type: 'choice', criteria: { calm: 'Polite', angry: 'Hostile', neutral: null } },
      urgency: { type: 'score', criteria: ['Not urgent', 'Somewhat', 'Very urgent'] },
    },
  })
const faults = Array.from({ length: 100 }, (_, i) => `"q${i}":{"type":"choice"}`)
const labels = Array.from({ length: 250 }, (_, i) => `"${i}${'x'.repeat(2000)}":null`)
/** Its answer has a megabyte. */
const longAnswer = `{"state":1,"questions":{"a":{"type":"choice","criteria":{${labels.join(',')}}},"b":{"type":"choice","criteria":{${labels.join(',')}}}}}`

interface Kind {
  readonly name: string
  /** How often it comes, of all together. */
  readonly share: number
  /** The statuses that are right for it. */
  readonly right: ReadonlyArray<number>
  readonly body: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly manner?: 'slow reader' | 'abort'
}

const kinds: ReadonlyArray<Kind> = [
  { name: 'small', share: 60, right: [200], body: asking(100) },
  { name: '20 KiB', share: 8, right: [200], body: asking(20 << 10) },
  { name: '1 MiB, too many words', share: 0.3, right: [400, 529], body: asking(1 << 20) },
  { name: 'faults', share: 6, right: [422], body: `{"questions":{${faults.join(',')}}}` },
  { name: 'no JSON', share: 5, right: [400], body: '{"state":' },
  {
    name: 'no key',
    share: 4,
    right: [200],
    body: asking(20 << 10),
    headers: { authorization: '' },
  },
  {
    name: 'another type',
    share: 3,
    right: [415],
    body: 'x',
    headers: { 'content-type': 'text/plain' },
  },
  { name: 'nowhere', share: 3, right: [404], body: '', path: '/v2' },
  { name: 'slow reader', share: 0.7, right: [200, 529], body: longAnswer, manner: 'slow reader' },
  { name: 'abort', share: 10, right: [], body: asking(20 << 10), manner: 'abort' },
]

/** The kind that a number from 0 to 1 stands for. */
const kindAt = (chance: number): Kind => {
  let left = chance * kinds.reduce((sum, { share }) => sum + share, 0)
  for (const kind of kinds) {
    left -= kind.share
    if (left < 0) return kind
  }
  return kinds[0] as Kind
}

/** Sends one request and reads its answer as its kind does. Rejects on an answer that is not right. */
const send = (url: string, agent: Agent, kind: Kind, pauseMs: number): Promise<void> =>
  new Promise((done, fail) => {
    const { name, body, path = '/v1/questions', manner, right } = kind
    const headers = {
      authorization: 'Bearer soak',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...kind.headers,
    }
    const call = request(`${url}${path}`, { method: 'POST', agent, headers })
    const read = (response: IncomingMessage): void => {
      response.resume().on('end', done)
      response.on('error', (error) => fail(new Error(`${name}: ${error.message}`)))
    }
    call.on('response', (response) => {
      if (!right.includes(response.statusCode ?? 0))
        fail(new Error(`${name} was answered with ${response.statusCode}`))
      else if (manner === 'slow reader') setTimeout(() => read(response), pauseMs)
      else read(response)
    })
    call.on('error', (error) => fail(new Error(`${name}: ${error.message}`)))
    call.end(body)
    if (manner === 'abort') {
      call.removeAllListeners().on('error', () => undefined)
      call.on('close', done)
      setTimeout(() => call.destroy(), pauseMs / 10)
    }
  })

/** Sends requests of all kinds, `lanes` at a time. Rejects at the first wrong answer. */
export const soak = async (
  url: string,
  amount: number,
  { lanes, seed }: { readonly lanes: number; readonly seed: number },
): Promise<Soaked> => {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const { unit: chance } = createRandom(seed)
  const latencies: number[] = []
  const counts = new Map<string, number>()
  let left = amount
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const kind = kindAt(chance())
      const started = performance.now()
      await send(url, agent, kind, 50 * chance())
      if (kind.name === 'small') latencies.push(performance.now() - started)
      counts.set(kind.name, (counts.get(kind.name) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  agent.destroy()
  return { latencies, kinds: counts }
}
