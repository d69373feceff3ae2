/**
 * A stand-in service for the demo: answers a request that a fixture holds with the response
 * beside it. Prints its address once it listens, and ends with its standard input.
 */
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { goldenKey, squeeze } from '../golden/exchange'
import { scenarios } from '../golden/scenario'

const answers = new Map(
  scenarios().flatMap(({ folder, scenario }) =>
    (scenario.exchanges ?? []).flatMap(({ request, response }) => {
      if (request.bodyFile === undefined || response.bodyFile === undefined) return []
      const body = readFileSync(join(folder, request.bodyFile), 'utf8')
      const answer = readFileSync(join(folder, response.bodyFile), 'utf8')
      return [[squeeze(body), answer] as const]
    }),
  ),
)

const send = (response: ServerResponse, status: number, body: string): void => {
  const headers = { 'content-type': 'application/json', 'x-service-request-id': 'req_demo' }
  response.writeHead(status, headers).end(body)
}

const problem = (type: string, message: string): string =>
  JSON.stringify({ detail: { error_type: type, message } })

const server = createServer(async (request, response) => {
  const answer = answers.get(squeeze(await text(request)))
  if (request.headers.authorization !== `Bearer ${goldenKey}`)
    send(response, 401, problem('authentication_error', 'Unknown API key.'))
  else if (request.method !== 'POST' || request.url !== '/v1/questions' || answer === undefined)
    send(response, 404, problem('not_found', 'No fixture holds this request.'))
  else send(response, 200, answer)
})

server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.stdin.resume().on('end', () => process.exit())
