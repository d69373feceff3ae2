import { type ProgramResult, runProgram } from '../support/program'
import { startHttpServer } from '../support/servers'

/** A response that answers the question of `askArgs`. */
export const askResponse = JSON.stringify({
  model: 'svc-1.13.0',
  models: [],
  answers: { bug: { type: 'noul', noul: 0.9 } },
  usage: { input_tokens: 12, output_tokens: 3 },
})

/** A call with one yes/no question (a `noul`). */
export const askArgs = ['ask', '--state', 'It crashes.', '--noul', 'bug=Is this a bug report?']

/** The behavior of the fake service, which tests change, and the requests that it received. */
export const fakeService: {
  /** Rejects the first request with status 503, so that svc retries it. */
  isBusyAtFirst: boolean
  /** The body of each response. */
  response: string | Buffer
  /** The header `traceparent` of each request. */
  readonly traceparents: unknown[]
} = { isBusyAtFirst: false, response: askResponse, traceparents: [] }

export const resetFakeService = (): void => {
  fakeService.isBusyAtFirst = false
  fakeService.response = askResponse
  fakeService.traceparents.length = 0
}

const server = await startHttpServer((request, response) => {
  request.resume().on('end', () => {
    fakeService.traceparents.push(request.headers.traceparent)
    response.setHeader('x-service-request-id', 'req_1')
    if (fakeService.isBusyAtFirst && fakeService.traceparents.length === 1)
      response.writeHead(503, { 'retry-after-ms': '1' }).end()
    else response.end(fakeService.response)
  })
})

/** Stops the fake service, which starts when this module is loaded. */
export const closeFakeService = (): Promise<void> => server.close()

/** Runs the built program against the fake service, with more variables and arguments for Node. */
export const runWithService = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  nodeArgs: ReadonlyArray<string> = [],
): Promise<ProgramResult> => {
  const serviceEnv = { SERVICE_BASE_URL: server.url, SERVICE_API_KEY: 'the-api-key' }
  return runProgram(args, { env: { ...serviceEnv, ...env }, nodeArgs })
}
