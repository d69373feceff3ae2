import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTemporaryFolder } from '../support/folders'
import { until } from '../support/until'

const question = { type: 'noul', instructions: 'Was the order charged twice?' }
/** A small request and one of 20 KiB. */
const documents = [1, 1000].map((times) =>
  JSON.stringify({ state: 'I was charged twice. '.repeat(times), questions: { question } }),
)

/** Asks again and again until the service is gone. Adds the id of each answer that came whole to `got`. */
const asking = async (url: string, agent: Agent, lane: number, got: Set<string>): Promise<void> => {
  const body = documents[lane % 8 === 0 ? 1 : 0] ?? ''
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
  const answered = (): Promise<boolean> =>
    new Promise((done) => {
      const length = { 'content-length': body.length }
      const options = { method: 'POST', agent, headers: { ...headers, ...length } }
      request(`${url}/v1/questions`, options, (response) => {
        response.resume().on('close', () => {
          if (response.complete) got.add(String(response.headers['x-service-request-id']))
          done(response.complete)
        })
      })
        .on('error', () => done(false))
        .end(body)
    })
  while (await answered());
}

/** Stops a service under load. Resolves with the ids of the answers that it has logged, and of those that came. */
const stopped = async (bin: string, afterMs: number) => {
  const log = join(createTemporaryFolder(), 'log')
  const args = [bin, 'serve', '--port', '0', '--log-level', 'info']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', openSync(log, 'w')] })
  const ended = once(child, 'exit')
  const said = (): string => readFileSync(log, 'utf8')
  await until(async () => said().includes('listening on'))
  const url = /listening on (\S+)/.exec(said())?.[1] ?? ''
  const got = new Set<string>()
  const agent = new Agent({ keepAlive: true })
  const lanes = Array.from({ length: 32 }, (_, lane) => asking(url, agent, lane, got))
  await sleep(afterMs)
  child.kill('SIGTERM')
  await Promise.all([...lanes, ended])
  const given = Array.from(said().matchAll(/request_id=(\S+) .*status=200 /g), ([, id = '']) => id)
  return { given, got }
}

/** How many answers are lost that a service under load has logged when it is stopped. */
export const reportStops = async (bin: string, count: number): Promise<void> => {
  console.log(`\nsvc serve, ${count} stops under load (32 callers)`)
  let answers = 0
  let lost = 0
  let whole = 0
  for (let i = 0; i < count; i++) {
    const { given, got } = await stopped(bin, 500 + 40 * i)
    const missing = given.filter((id) => !got.has(id)).length
    answers += given.length
    lost += missing
    if (missing === 0) whole += 1
  }
  console.log(`  ${whole} of ${count} stops without a loss; ${lost} of ${answers} answers lost`)
}
