import { createServer, request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listen } from '../support/servers'
import { sendOneSpan, withCollector } from './send-span'
import { createRun } from './tracing-run'

const test = suite('tracing/through-proxy')

test('exports through the proxy of the environment, and reports a refused tunnel', () =>
  withCollector(undefined, async (collector) => {
    const proxyRequests: string[] = []
    const proxy = createServer((incoming, outgoing) => {
      proxyRequests.push(`${incoming.method} ${incoming.url}`)
      const { method, headers } = incoming
      const forwarded = request(`${collector.url}/v1/traces`, { method, headers }, (answer) => {
        answer.pipe(outgoing.writeHead(answer.statusCode ?? 0))
      })
      incoming.pipe(forwarded)
    })
    proxy.on('connect', ({ method, url }, client) => {
      proxyRequests.push(`${method} ${url}`)
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    })
    const { port, close } = await listen(proxy)
    const sendTo = (endpoint: string) =>
      sendOneSpan(
        createRun({
          env: {
            OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
            ALL_PROXY: `http://user:secret@127.0.0.1:${port}`,
          },
        }),
      )
    assert.is(await sendTo('http://collector.test:4318'), '')
    assert.is(collector.spans().length, 1)
    const collectorUrl = 'https://collector.test:4318/v1/traces'
    assert.is(
      await sendTo('https://collector.test:4318'),
      `svc: tracing shutdown: export to ${collectorUrl}: the proxy answered 407: put user:password into HTTPS_PROXY\n`,
    )
    assert.equal(proxyRequests, [
      'POST http://collector.test:4318/v1/traces',
      'CONNECT collector.test:4318',
    ])
    await close()
  }))

test('an invalid proxy variable turns tracing off', async () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.test',
    HTTPS_PROXY: 'socks5://user:secret@h',
  }
  const message =
    'HTTPS_PROXY must be the address of a proxy, with http:// or https:// or no scheme'
  assert.is(await sendOneSpan(createRun({ env })), `svc: tracing disabled: ${message}\n`)
})

test.run()
