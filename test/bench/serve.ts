import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { root } from '../support/folders'
import { median } from './measure'

const short = {
  state: 'I was charged twice this month.',
  questions: { billing: { type: 'noul', instructions: 'Is this about a billing problem?' } },
}
const ticket = {
  model: 'svc-latest',
  state: { ticket: 'I was charged twice this month and nobody answers my emails. Fix it now.' },
  questions: {
    billing: { type: 'noul', instructions: 'Is `ticket` about a billing problem?' },
    tone: {
      type: 'choice',
      instructions: 'What is the tone of `ticket`?',
      criteria: { calm: 'Polite and patient', angry: 'Frustrated or hostile', neutral: null },
    },
    urgency: {
      type: 'score',
      instructions: 'How urgent is `ticket`?',
      criteria: ['Not urgent at all', 'Somewhat urgent', 'Very urgent'],
    },
  },
}
const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' }
const connections = 64

/** A server and where it listens. */
export interface Server {
  readonly child: ChildProcess
  readonly url: string
}

/** Starts a server and waits until it listens. */
export const startServer = async (args: ReadonlyArray<string>): Promise<Server> => {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const line of createInterface(child.stderr)) {
    const url = /listening on (http:\S+)/.exec(line)?.[1]
    if (url !== undefined) return { child, url }
  }
  throw new Error('the server did not start')
}

interface Load {
  readonly perSecond: number
  readonly p99: number
}

/**
 * Sends `amount` requests with autocannon, which npx brings: forty packages that nothing but this measurement uses, and
 * that `npm ci` need not install for every test.
 */
const load = async ({ url }: Server, document: unknown, amount: number): Promise<Load> => {
  const shape = ['--json', '--no-progress', '-L', '20', '-c', `${connections}`, '-a', `${amount}`]
  const sent = ['-m', 'POST', '-b', JSON.stringify(document), ...headerFlags]
  const args = ['--yes', 'autocannon@8.0.0', ...shape, ...sent, `${url}/v1/questions`]
  const { stdout } = await promisify(execFile)('npx', args)
  const result: Outcome = JSON.parse(stdout)
  if (result.non2xx + result.errors > 0) throw new Error('not every request was answered')
  return { perSecond: amount / result.duration, p99: result.latency.p99 }
}

const headerFlags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])

/** What autocannon tells: `duration` in seconds, latency in milliseconds. */
interface Outcome {
  readonly duration: number
  readonly non2xx: number
  readonly errors: number
  readonly latency: { readonly p99: number }
}

/** The memory that a service has in use, in MiB. */
export const residentMiB = async ({ url }: Server): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 2 ** 20
}

const line = (name: string, { perSecond, p99 }: Load, more = ''): void => {
  const rate = `${Math.round(perSecond)} requests/s`
  console.log(`  ${name.padEnd(34)} ${rate.padStart(17)}   p99 ${p99} ms${more}`)
}

const compareLoad = async (
  title: string,
  bin: string,
  document: unknown,
  rounds: number,
  amount: number,
): Promise<void> => {
  console.log(`\n${title} (${rounds} rounds of ${amount} requests, ${connections} connections)`)
  const service = await startServer([bin, 'serve', '--port', '0'])
  const response = await fetch(`${service.url}/v1/questions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(document),
  })
  const bareArgs = ['--import', 'tsx', 'test/bench/serve-bare.ts', await response.text()]
  const bare = await startServer(bareArgs)
  const pairs: Array<readonly [Load, Load]> = []
  for (const server of [service, bare]) await load(server, document, amount)
  for (let round = 0; round < rounds; round++)
    pairs.push([await load(service, document, amount), await load(bare, document, amount)])
  const middle = (index: 0 | 1): Load => ({
    perSecond: median(pairs.map((pair) => pair[index].perSecond)),
    p99: median(pairs.map((pair) => pair[index].p99)),
  })
  const ratio = median(pairs.map(([ours, theirs]) => ours.perSecond / theirs.perSecond))
  line('svc serve, lexical engine', middle(0))
  line('a bare node:http server', middle(1), `   ratio ${ratio.toFixed(2)}`)
  for (const { child } of [service, bare]) child.kill()
}

/** Throughput and latency of `svc serve` against a bare server. */
export const reportServe = async (bin: string, scale: number): Promise<void> => {
  const amount = (most: number): number => Math.max(1000, Math.round(most * scale))
  const rounds = Math.max(1, Math.round(5 * scale))
  await compareLoad('svc serve, one short question', bin, short, rounds, amount(20_000))
  await compareLoad('svc serve, three questions', bin, ticket, rounds, amount(20_000))
}
