import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { temporaryFolder } from '../support/folders'
import { median } from './measure'

const home = temporaryFolder()

const lines = (id: number): string => {
  const params = {
    name: 'ask',
    arguments: { state: 's', questions: [{ id: 'q', type: 'noul', instructions: 'Late?' }] },
  }
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`
}

const handshake = [
  {
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

/** Milliseconds from the start to the answer to the handshake, from then on to that of the first call, and of a second. */
const session = async (
  node: string,
  bin: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly [number, number, number]> => {
  const started = performance.now()
  const child = spawn(node, [bin, 'mcp'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  child.stdin.write(handshake[0])
  await answers.next()
  const ready = performance.now() - started
  child.stdin.write(`${handshake[1]}${lines(1)}`)
  await answers.next()
  const first = performance.now() - started - ready
  child.stdin.write(lines(2))
  await answers.next()
  const second = performance.now() - started - ready - first
  child.stdin.end()
  await once(child, 'close')
  return [ready, first, second]
}

/** The first tool call of a session, from the start of the program, against `svc ask`, and one later on. */
export const reportMcp = async (
  node: string,
  bin: string,
  files: { readonly small: string },
  baseUrl: string,
  rounds: number,
): Promise<void> => {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SERVICE_API_KEY: 'k',
    SERVICE_BASE_URL: baseUrl,
  }
  const ask = async (): Promise<number> => {
    const started = performance.now()
    await once(spawn(node, [bin, 'ask', '-f', files.small], { env, stdio: 'ignore' }), 'close')
    return performance.now() - started
  }
  console.log(`\nsvc mcp, from its start to the answer of the first call (${rounds} rounds)`)
  await ask()
  await session(node, bin, env)
  const all: Array<readonly [ask: number, ready: number, first: number, second: number]> = []
  for (let round = 0; round < rounds; round++)
    all.push([await ask(), ...(await session(node, bin, env))])
  const line = (name: string, values: ReadonlyArray<number>, more = ''): void =>
    console.log(`  ${name.padEnd(34)} ${median(values).toFixed(1).padStart(8)} ms${more}`)
  const over = (name: string, times: ReadonlyArray<number>): void => {
    const ratio = median(times.map((time, round) => time / (all[round]?.[0] ?? Number.NaN)))
    line(name, times, `   ratio to svc ask ${ratio.toFixed(2)}`)
  }
  line(
    'svc ask',
    all.map(([one]) => one),
  )
  over(
    'svc mcp, start, handshake, call',
    all.map(([, ready, first]) => ready + first),
  )
  over(
    'svc mcp, the first call',
    all.map(([, , first]) => first),
  )
  over(
    'svc mcp, a later call',
    all.map(([, , , second]) => second),
  )
}
