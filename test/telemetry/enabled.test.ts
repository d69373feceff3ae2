import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isTracingEnabled } from '../../lib/telemetry/open-tracing'

const test = suite('telemetry/enabled')

const variables = ['TRACING_API_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_CONFIG_FILE']

test('is off by default, and on with --trace', () => {
  assert.is(isTracingEnabled({ trace: false, noTrace: false }, {}), false)
  assert.is(isTracingEnabled({ trace: true, noTrace: false }, {}), true)
})

for (const name of variables) {
  test(`is on with ${name}, unless it is empty`, () => {
    assert.is(isTracingEnabled({ trace: false, noTrace: false }, { [name]: 'x' }), true)
    assert.is(isTracingEnabled({ trace: false, noTrace: false }, { [name]: '' }), false)
  })
  test(`is off with --no-trace, whatever else asks for it (${name})`, () => {
    assert.is(isTracingEnabled({ trace: true, noTrace: true }, { [name]: 'x' }), false)
    assert.is(isTracingEnabled({ trace: false, noTrace: true }, { [name]: 'x' }), false)
  })
}

test('does not look at other variables', () => {
  const env = { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: 'otlp', TRACEPARENT: 'x' }
  assert.is(isTracingEnabled({ trace: false, noTrace: false }, env), false)
})

test.run()
