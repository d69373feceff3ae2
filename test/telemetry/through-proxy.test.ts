import { createServer } from 'node:http'
import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listen } from '../support/servers'
import { oneSpan, withCollector } from './exporting'
import { stage } from './stage'

const test = suite('telemetry/through-proxy')

test('goes through a proxy of the environment, and names its refusal', () =>
  withCollector(undefined, async (collector) => {
    const asked: string[] = []
    const proxy = createServer()
    proxy.on('connect', (request, client) => {
      asked.push(request.url ?? '')
      if (asked.length > 1) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
        return
      }
      const upstream = connect(Number(new URL(collector.url).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        upstream.pipe(client).pipe(upstream)
      })
    })
    const { port, close } = await listen(proxy)
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318',
      HTTP_PROXY: `http://user:secret@127.0.0.1:${port}`,
    }
    process.env.HTTP_PROXY = env.HTTP_PROXY
    assert.is(await oneSpan(stage({ env })), '')
    const refused = await oneSpan(stage({ env }))
    delete process.env.HTTP_PROXY
    await close()
    assert.equal(asked, ['collector.test:4318', 'collector.test:4318'])
    assert.is(collector.spans().length, 1)
    const where = 'http://collector.test:4318/v1/traces'
    assert.is(
      refused,
      `svc: tracing shutdown: export to ${where}: 407 Proxy Authentication Required\n`,
    )
  }))

test.run()
