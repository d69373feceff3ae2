/** The least that parses a JSON document and answers one: the measure for `svc serve`. Prints its address. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const answer: unknown = JSON.parse(process.argv[2] ?? '{}')

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    const text = JSON.stringify(answer)
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    response.writeHead(200, headers).end(text)
  })
})
server.listen(0, '127.0.0.1', () => {
  console.error(`svc: listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
