import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decideTracing } from '../../lib/tracing/open-tracing'

const test = suite('tracing/decide-tracing')

const noFlags = { trace: false, noTrace: false }

test('is off by default', () => {
  assert.equal(decideTracing(noFlags, {}), { isOn: false, source: 'default' })
})

test('is on with --trace', () => {
  assert.equal(decideTracing({ trace: true, noTrace: false }, {}), {
    isOn: true,
    source: '--trace',
  })
})

for (const name of ['TRACING_API_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_CONFIG_FILE']) {
  test(`is on if ${name} is set`, () => {
    assert.equal(decideTracing(noFlags, { [name]: 'x' }), { isOn: true, source: name })
  })

  test(`is off if ${name} is blank`, () => {
    for (const value of ['', ' \n'])
      assert.equal(decideTracing(noFlags, { [name]: value }), { isOn: false, source: 'default' })
  })
}

test('is off if only other variables for tracing are set', () => {
  const env = { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: 'otlp', TRACEPARENT: 'x' }
  assert.is(decideTracing(noFlags, env).isOn, false)
})

test('--no-trace overrides --trace and the variables', () => {
  const env = { TRACING_API_KEY: 'x', OTEL_CONFIG_FILE: 'x' }
  for (const trace of [true, false])
    assert.equal(decideTracing({ trace, noTrace: true }, env), {
      isOn: false,
      source: '--no-trace',
    })
})

test.run()
