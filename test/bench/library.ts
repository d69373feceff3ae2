import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import * as sdk from '@typesafe-ai/sdk'
import { median, medianRatio } from './measure'

/** The source of a service that gives the same response to every request. It prints its port. A `noul` answers a yes/no question. */
const fakeServiceScript = `
const choice = { type: 'choice', choice: 'b', confidence: 0.5 }
const body = JSON.stringify({ model: 'm', usage: { input_tokens: 9, output_tokens: 2 }, answers: {
  q: { type: 'noul', noul: 0.5 }, c: { ...choice, probabilities: { a: 0.2, b: 0.8 } } } })
const server = require('node:http').createServer((request, response) => {
  request.resume().on('end', () =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body))
}).listen(0, '127.0.0.1', () => console.log(server.address().port))`

const state = 'I was charged twice this month. Please refund it. '.repeat(10)

/** Makes one call with two questions. */
type MakeCall = () => Promise<unknown>

/** Returns a call by the library that is measured. */
const createLibraryCall = (
  library: typeof import('../../lib/library'),
  baseUrl: string,
): MakeCall => {
  const { choice, createClient, noul } = library
  const client = createClient({ baseUrl, apiKey: 'k', model: 'm' })
  const questions = { q: noul('Is it about a bill?'), c: choice('Which?', ['a', 'b']) }
  return () => client.ask(state, questions)
}

/** Returns a call by Node's HTTP client over connections that stay open, which parses the response. No program can do less. */
const createMinimalCall = (baseUrl: string): MakeCall => {
  const agent = new Agent({ keepAlive: true })
  const headers = { Authorization: 'Bearer k', 'Content-Type': 'application/json' }
  const questions = {
    q: { type: 'noul', instructions: 'Is it about a bill?' },
    c: { type: 'choice', instructions: 'Which?', criteria: { a: null, b: null } },
  }
  return () =>
    new Promise((resolve, reject) => {
      const options = { method: 'POST', agent, headers }
      const call = request(`${baseUrl}/v1/questions`, options, (response) => {
        json(response).then(resolve, reject)
      })
      call.on('error', reject)
      call.end(JSON.stringify({ model: 'm', state, questions }))
    })
}

/** Returns a call by TypeSafe's client. */
const createSdkCall = (baseURL: string): MakeCall => {
  const client = new sdk.TypeSafeClient({ baseURL, apiKey: 'k', logLevel: 'off' })
  const questions = {
    q: sdk.noul('Is it about a bill?'),
    c: sdk.choice('Which?', { a: null, b: null }),
  }
  return () => client.systemOne({ state, questions })
}

/** Makes `count` calls, `concurrency` at a time. Returns the time per call in microseconds. */
const measureCallUs = async (
  makeCall: MakeCall,
  count: number,
  concurrency: number,
): Promise<number> => {
  let startedCount = 0
  const makeCalls = async (): Promise<void> => {
    while (startedCount < count) {
      startedCount += 1
      await makeCall()
    }
  }
  const startMs = performance.now()
  await Promise.all(Array.from({ length: concurrency }, makeCalls))
  return ((performance.now() - startMs) / count) * 1000
}

const callsPerRound = 200

/**
 * Prints the time per call of three clients: the library that is installed beside `bin`, Node's HTTP client, and TypeSafe's client. The
 * clients take turns. The ratio is the median of a client's ratios to Node's HTTP client in each round.
 */
export const reportLibrary = async (rounds: number, bin: string): Promise<void> => {
  const library = await import(join(dirname(realpathSync(bin)), 'library.mjs'))
  const service = spawn(process.execPath, ['-e', fakeServiceScript], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(service.stdout, 'data')
  const baseUrl = `http://127.0.0.1:${Number(port)}`
  const nodeHttpClient = { name: 'a loop of node:http', makeCall: createMinimalCall(baseUrl) }
  const clients = [
    { name: 'typed-questions', makeCall: createLibraryCall(library, baseUrl) },
    nodeHttpClient,
    { name: '@typesafe-ai/sdk', makeCall: createSdkCall(baseUrl) },
  ]

  for (const concurrency of [1, 32]) {
    // These calls are not measured. During them V8 optimizes the code.
    for (const { makeCall } of clients) await measureCallUs(makeCall, 5000, concurrency)
    const times = new Map(clients.map((client) => [client, [] as number[]]))
    for (let round = 0; round < rounds; round += 1)
      for (const [client, clientTimes] of times)
        clientTimes.push(await measureCallUs(client.makeCall, callsPerRound, concurrency))
    console.log(
      `\na call from a program, ${concurrency} at a time (medians of ${rounds} rounds of ${callsPerRound})`,
    )
    for (const [client, clientTimes] of times) {
      const microseconds = median(clientTimes).toFixed(0).padStart(6)
      const ratio = medianRatio(clientTimes, times.get(nodeHttpClient) ?? []).toFixed(2)
      console.log(`  ${client.name.padEnd(22)} ${microseconds} us ${ratio}x`)
    }
  }
  service.kill()
}
