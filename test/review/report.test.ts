import { XMLParser } from 'fast-xml-parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatJunitReport } from '../../lib/review/junit'
import { redactReport, type UnitReport } from '../../lib/review/report'
import { createRedact } from '../../lib/text/secret'

const test = suite('review: report')

const validReport: UnitReport = {
  name: 'one',
  requestId: 'req_1',
  model: 'svc-1',
  inputTokens: 12,
  truncated: false,
  behaviorCount: 1,
  behaviors: [{ id: 'covers_00', behavior: 'adds', covered: 0.6 }],
  contradictsSpec: 0.05,
  thoroughness: 2.456,
  thoroughnessConfidence: 0.8,
  weakestArea: 'none',
  weakestConfidence: 0.7,
  flags: [],
  notes: [],
  staleAcceptances: [],
  failing: false,
  error: '',
}

test('redacts a key in every text of a report', () => {
  const key = 'secret-key'
  const leak = `contains ${key}`
  const report: UnitReport = {
    ...validReport,
    name: leak,
    requestId: leak,
    model: leak,
    weakestArea: leak,
    error: leak,
    behaviors: [{ id: 'covers_00', behavior: leak, covered: 0.1 }],
    flags: [{ id: 'covers_00', message: leak, accepted: false }],
    notes: [leak],
    staleAcceptances: [leak],
  }
  const redacted = JSON.stringify(redactReport(report, createRedact([key])))
  assert.not.match(redacted, key)
  // The report has nine texts.
  assert.is(redacted.match(/contains \[redacted\]/g)?.length, 9)
})

test('escapes the name of a unit in JUnit XML', () => {
  const name = `it's <b> & "q" &amp; ]]> 😀`
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' })
  const { testsuites } = parser.parse(formatJunitReport([{ ...validReport, name }]))
  assert.is(testsuites.testsuite.name, name)
})

test.run()
