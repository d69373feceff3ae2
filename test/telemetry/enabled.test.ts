import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decideTracing } from '../../lib/telemetry/open-tracing'

const test = suite('telemetry/enabled')

const variables = ['TRACING_API_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_CONFIG_FILE']

test('is off by default, and on with --trace', () => {
  assert.is(decideTracing({ trace: false, noTrace: false }, {}).isOn, false)
  assert.is(decideTracing({ trace: true, noTrace: false }, {}).isOn, true)
})

for (const name of variables) {
  test(`is on with ${name}, unless it is empty`, () => {
    assert.is(decideTracing({ trace: false, noTrace: false }, { [name]: 'x' }).isOn, true)
    assert.is(decideTracing({ trace: false, noTrace: false }, { [name]: '' }).isOn, false)
  })
  test(`is off with --no-trace, whatever else asks for it (${name})`, () => {
    assert.is(decideTracing({ trace: true, noTrace: true }, { [name]: 'x' }).isOn, false)
    assert.is(decideTracing({ trace: false, noTrace: true }, { [name]: 'x' }).isOn, false)
  })
}

test('does not look at other variables', () => {
  const env = { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: 'otlp', TRACEPARENT: 'x' }
  assert.is(decideTracing({ trace: false, noTrace: false }, env).isOn, false)
})

test.run()
