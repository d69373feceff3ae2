import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { buildBundle } from '../golden/run-bundle'

/** The built program. */
export const bundle = buildBundle()

/** The answer of the service. */
export const yes = JSON.stringify({
  model: 'svc-1.13.0',
  models: [],
  answers: { bug: { type: 'noul', noul: 0.9 } },
  usage: { input_tokens: 12, output_tokens: 3 },
})

/** How the service behaves: busy once, if at all; and the `traceparent` of each request to it. */
export const state: { busy: boolean; answer: string | Buffer; readonly seen: Array<unknown> } = {
  busy: false,
  answer: yes,
  seen: [],
}

const service = createServer((request, response) => {
  request.resume().on('end', () => {
    state.seen.push(request.headers.traceparent)
    response.setHeader('x-service-request-id', 'req_1')
    if (state.seen.length === 1 && state.busy) {
      response.writeHead(503, { 'retry-after-ms': '1' }).end()
    } else {
      response.end(state.answer)
    }
  })
})

export const openService = async (): Promise<void> => {
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
}

export const closeService = (): void => void service.close()

/** Runs the program against the service. */
export const run = async (
  argv: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  node: ReadonlyArray<string> = [],
) => {
  const { port } = service.address() as AddressInfo
  const child = spawn(process.execPath, [...node, bundle.bin, ...argv], {
    env: {
      SERVICE_BASE_URL: `http://127.0.0.1:${port}`,
      SERVICE_API_KEY: 'the-api-key',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { stdout, stderr, exit: child.exitCode }
}

/** A call with one question. */
export const ask = ['ask', '--state', 'It crashes.', '--noul', 'bug=Is this a bug report?']
