import { type Ended, run as runProgram } from '../support/program'
import { httpServer } from '../support/servers'

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

const service = await httpServer((request, response) => {
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

export const closeService = (): Promise<void> => service.close()

/** Runs the program against the service. */
export const run = (
  argv: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  node: ReadonlyArray<string> = [],
): Promise<Ended> => {
  const own = { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'the-api-key' }
  return runProgram(argv, { env: { ...own, ...env }, node })
}

/** A call with one question. */
export const ask = ['ask', '--state', 'It crashes.', '--noul', 'bug=Is this a bug report?']
