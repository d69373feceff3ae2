import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import * as sdk from '@typesafe-ai/sdk'
import { median, medianRatio } from './measure'

/** A service of its own process, which answers every route at once. It prints its port. */
const service = `
const choice = { type: 'choice', choice: 'b', confidence: 0.5 }
const body = JSON.stringify({ model: 'm', usage: { input_tokens: 9, output_tokens: 2 }, answers: {
  q: { type: 'noul', noul: 0.5 }, c: { ...choice, probabilities: { a: 0.2, b: 0.8 } } } })
const server = require('node:http').createServer((request, response) => {
  request.resume().on('end', () =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body))
}).listen(0, '127.0.0.1', () => console.log(server.address().port))`

const state = 'I was charged twice this month. Please refund it. '.repeat(10)

/** Makes one call. */
type Call = () => Promise<unknown>

/** The least that a program can do: post with Node's own client over kept connections, and parse. */
const postPlainly = (port: number): Call => {
  const agent = new Agent({ keepAlive: true })
  const headers = { Authorization: 'Bearer k', 'Content-Type': 'application/json' }
  const questions = {
    q: { type: 'noul', instructions: 'Is it about a bill?' },
    c: { type: 'choice', instructions: 'Which?', criteria: { a: null, b: null } },
  }
  return () =>
    new Promise((done, failed) => {
      const options = { port, agent, headers, method: 'POST', path: '/v1/questions' }
      request({ host: '127.0.0.1', ...options }, (response) => json(response).then(done, failed))
        .on('error', failed)
        .end(JSON.stringify({ model: 'm', state, questions }))
    })
}

const callsOf = (
  { choice, createClient, noul }: typeof import('../../lib/library'),
  port: number,
): Readonly<Record<string, Call>> => {
  const url = `http://127.0.0.1:${port}`
  const client = createClient({ baseUrl: url, apiKey: 'k', model: 'm' })
  const questions = { q: noul('Is it about a bill?'), c: choice('Which?', ['a', 'b']) }
  const theirs = new sdk.TypeSafeClient({ baseURL: url, apiKey: 'k', logLevel: 'off' })
  const theirQuestions = {
    q: sdk.noul('Is it about a bill?'),
    c: sdk.choice('Which?', { a: null, b: null }),
  }
  return {
    'typed-questions': () => client.ask(state, questions),
    'a loop of node:http': postPlainly(port),
    '@typesafe-ai/sdk': () => theirs.systemOne({ state, questions: theirQuestions }),
  }
}

/** Makes `count` calls, `concurrency` at a time. Returns the time per call in microseconds. */
const timeCalls = async (call: Call, count: number, concurrency: number): Promise<number> => {
  let left = count
  const work = async (): Promise<void> => {
    while (left-- > 0) await call()
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: concurrency }, work))
  return ((performance.now() - started) / count) * 1000
}

/**
 * Prints the time per call of the library that is installed beside `bin`, of a loop of `node:http`, and of TypeSafe's
 * client, taken in turns, and the median of what each took in relation to the loop in the same round.
 */
export const reportLibrary = async (rounds: number, bin: string): Promise<void> => {
  const library = await import(join(dirname(realpathSync(bin)), 'library.mjs'))
  const child = spawn(process.execPath, ['-e', service], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  const calls = Object.entries(callsOf(library, Number(port)))
  for (const concurrency of [1, 32]) {
    for (const [, call] of calls) await timeCalls(call, 5000, concurrency)
    const times = calls.map((): number[] => [])
    for (let round = 0; round < rounds; round += 1)
      for (const [place, [, call]] of calls.entries())
        times[place]?.push(await timeCalls(call, 200, concurrency))
    console.log(
      `\na call from a program, ${concurrency} at a time (medians of ${rounds} rounds of 200)`,
    )
    const [, loop = []] = times
    for (const [place, [name]] of calls.entries()) {
      const own = times[place] ?? []
      const ratio = medianRatio(own, loop)
      console.log(
        `  ${name.padEnd(22)} ${median(own).toFixed(0).padStart(6)} us ${ratio.toFixed(2)}x`,
      )
    }
  }
  child.kill()
}
