import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decideTracing } from '../../lib/tracing/open-tracing'

const test = suite('tracing/enabled')

type Row = readonly [
  trace: boolean,
  noTrace: boolean,
  env: Readonly<Record<string, string>>,
  isOn: boolean,
]
const others = { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: 'otlp', TRACEPARENT: 'x' }
const variables = ['TRACING_API_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_CONFIG_FILE']

const table: ReadonlyArray<Row> = [
  [false, false, {}, false],
  [true, false, {}, true],
  [false, false, others, false],
  ...variables.flatMap(
    (name): ReadonlyArray<Row> => [
      [false, false, { [name]: 'x' }, true],
      [false, false, { [name]: '' }, false],
      [true, true, { [name]: 'x' }, false],
      [false, true, { [name]: 'x' }, false],
    ],
  ),
]
for (const [trace, noTrace, env, isOn] of table)
  test(`tracing is ${isOn ? 'on' : 'off'} with ${JSON.stringify({ trace, noTrace, env })}`, () =>
    assert.is(decideTracing({ trace, noTrace }, env).isOn, isOn))

test.run()
