import { createServer, request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { closeAfterEach, listen, startHttpServer } from '../support/servers'
import { startCollector } from './collector'
import { sendSpanAndReadStderr } from './send-span'
import { createRun } from './tracing-run'

const test = suite('tracing/through-proxy')
closeAfterEach(test)

/** Exports one span to `endpoint` through a proxy on a port of this machine. Returns stderr. */
const sendThroughProxy = (endpoint: string, proxyPort: number): Promise<string> => {
  const ALL_PROXY = `http://user:secret@127.0.0.1:${proxyPort}`
  return sendSpanAndReadStderr(
    createRun({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ALL_PROXY } }),
  )
}

test('exports through the proxy of the environment', async () => {
  const collector = await startCollector()
  const proxyRequests: string[] = []
  const proxy = await startHttpServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    proxyRequests.push(`${method} ${url}`)
    const forwarded = request(`${collector.url}/v1/traces`, { method, headers }, (response) => {
      // Node's type allows `undefined`, but a received response always has a status.
      response.pipe(outgoing.writeHead(response.statusCode ?? 0))
    })
    incoming.pipe(forwarded)
  })
  assert.is(await sendThroughProxy('http://collector.test:4318', proxy.port), '')
  assert.equal(proxyRequests, ['POST http://collector.test:4318/v1/traces'])
  assert.is(collector.spans().length, 1)
})

test('reports a proxy that refuses a tunnel', async () => {
  const server = createServer()
  server.on('connect', (_, client) => {
    client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
  })
  const proxy = await listen(server)
  const stderr = await sendThroughProxy('https://collector.test:4318', proxy.port)
  assert.is(
    stderr,
    'svc: tracing shutdown: export to https://collector.test:4318/v1/traces: the proxy answered 407: put user:password into HTTPS_PROXY\n',
  )
})

test('disables tracing if the proxy variable is invalid', async () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.test',
    HTTPS_PROXY: 'socks5://user:secret@h',
  }
  const message =
    'HTTPS_PROXY must be the address of a proxy, with http:// or https:// or no scheme'
  assert.is(await sendSpanAndReadStderr(createRun({ env })), `svc: tracing disabled: ${message}\n`)
})

test.run()
