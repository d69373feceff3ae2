import { type ProgramResult, runProgram } from '../support/program'
import { startHttpServer } from '../support/servers'

/** A call with one yes/no question (a `noul`). */
export const askArgs = ['ask', '--state', 'It crashes.', '--noul', 'bug=Is this a bug report?']

/** A response that answers the question of `askArgs`. */
const askResponse = JSON.stringify({
  model: 'svc-1.13.0',
  models: [],
  answers: { bug: { type: 'noul', noul: 0.9 } },
  usage: { input_tokens: 12, output_tokens: 3 },
})

export interface RunOptions {
  /** Variables beside the address of the service and the key. */
  readonly env?: Readonly<Record<string, string>>
  /** Options of Node. */
  readonly nodeArgs?: ReadonlyArray<string>
  /** Rejects the first request with status 503, so that svc retries it. */
  readonly isBusyAtFirst?: boolean
  /** The body of each response. Default: the answer to the question of `askArgs`. */
  readonly response?: string | Buffer
}

interface ServiceRunResult extends ProgramResult {
  /** The header `traceparent` of each request that the service received. */
  readonly traceparents: ReadonlyArray<unknown>
}

/** Runs the built program against a fake service. */
export const runWithService = async (
  args: ReadonlyArray<string>,
  { env, nodeArgs = [], isBusyAtFirst = false, response = askResponse }: RunOptions = {},
): Promise<ServiceRunResult> => {
  const traceparents: unknown[] = []
  const service = await startHttpServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      traceparents.push(incoming.headers.traceparent)
      outgoing.setHeader('x-service-request-id', 'req_1')
      if (isBusyAtFirst && traceparents.length === 1)
        outgoing.writeHead(503, { 'retry-after-ms': '1' }).end()
      else outgoing.end(response)
    })
  })
  const result = await runProgram(args, {
    env: { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'the-api-key', ...env },
    nodeArgs,
  })
  await service.close()
  return { ...result, traceparents }
}
