import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTemporaryFolder } from '../support/folders'
import { until } from '../support/until'

/** The number of callers that send requests at the same time. */
const callerCount = 32

/** Creates a request with a yes/no question (a `noul`). */
const createRequest = (sentenceCount: number): string =>
  JSON.stringify({
    state: 'I was charged twice. '.repeat(sentenceCount),
    questions: { question: { type: 'noul', instructions: 'Was the order charged twice?' } },
  })

const smallRequest = createRequest(1)
/** A request of about 20 KiB. */
const largeRequest = createRequest(1000)

/** Sends a request. Resolves to the id of the response, or to `undefined` if the response does not arrive completely. */
const sendRequest = (url: string, agent: Agent, body: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const headers = {
      authorization: 'Bearer k',
      'content-type': 'application/json',
      'content-length': body.length,
    }
    const call = request(`${url}/v1/questions`, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('close', () => {
        const id = String(response.headers['x-service-request-id'])
        resolve(response.complete ? id : undefined)
      })
    })
    call.on('error', () => resolve(undefined))
    call.end(body)
  })

/** Sends requests until the service stops. Resolves to the ids of the complete responses. */
const sendUntilStopped = async (
  url: string,
  agent: Agent,
  body: string,
): Promise<ReadonlyArray<string>> => {
  const receivedIds: string[] = []
  while (true) {
    const id = await sendRequest(url, agent, body)
    if (id === undefined) return receivedIds
    receivedIds.push(id)
  }
}

/**
 * Starts a service, and stops it after `loadMs` of load. Resolves to the ids of the responses that it logged, and of those that callers
 * received.
 */
const stopUnderLoad = async (bin: string, loadMs: number) => {
  const logFile = join(createTemporaryFolder(), 'log')
  const args = [bin, 'serve', '--port', '0', '--log-level', 'info']
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', openSync(logFile, 'w')],
  })
  const exited = once(child, 'exit')
  const readLog = (): string => readFileSync(logFile, 'utf8')
  await until(() => readLog().includes('listening on'))
  const url = /listening on (\S+)/.exec(readLog())?.[1] ?? ''

  const agent = new Agent({ keepAlive: true })
  const callers = Array.from({ length: callerCount }, (_, index) => {
    // One caller in eight sends large requests.
    const body = index % 8 === 0 ? largeRequest : smallRequest
    return sendUntilStopped(url, agent, body)
  })
  await sleep(loadMs)
  child.kill('SIGTERM')
  const receivedIds = new Set((await Promise.all(callers)).flat())
  await exited

  const loggedIds = Array.from(
    readLog().matchAll(/request_id=(\S+) .*status=200 /g),
    ([, id = '']) => id,
  )
  return { loggedIds, receivedIds }
}

/** Stops services under load, and prints how many responses they logged that did not arrive. */
export const reportStops = async (bin: string, stopCount: number): Promise<void> => {
  console.log(`\nsvc serve, ${stopCount} stops under load (${callerCount} callers)`)
  let responseCount = 0
  let lostResponseCount = 0
  let losslessStopCount = 0
  for (let i = 0; i < stopCount; i++) {
    // A different time for each stop, so that it meets different moments of a call.
    const loadMs = 500 + 40 * i
    const { loggedIds, receivedIds } = await stopUnderLoad(bin, loadMs)
    const lostCount = loggedIds.filter((id) => !receivedIds.has(id)).length
    responseCount += loggedIds.length
    lostResponseCount += lostCount
    if (lostCount === 0) losslessStopCount += 1
  }
  console.log(
    `  ${losslessStopCount} of ${stopCount} stops without a loss; ${lostResponseCount} of ${responseCount} answers lost`,
  )
}
