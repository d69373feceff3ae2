import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { writeJunitReport } from '../../lib/review/junit'
import { writeMarkdownReport } from '../../lib/review/markdown-report'
import { describeEntry, noReadings, redactReport, type UnitReport } from '../../lib/review/report'
import { createRedact } from '../../lib/text/redact'

const test = suite('review: report')

const clean: UnitReport = {
  name: 'clean',
  requestId: 'req_1',
  model: 'svc-1',
  inputTokens: 12,
  truncated: false,
  total: 1,
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
const flagged: UnitReport = {
  ...clean,
  name: 'a|b\nc',
  truncated: true,
  total: 2,
  behaviors: [
    { id: 'covers_00', behavior: 'adds <x> & "y"', covered: 0.1 },
    { id: 'covers_01', behavior: 'takes', covered: 0.6 },
  ],
  flags: [
    { id: 'thoroughness', message: 'thoroughness: 1.00 < 2.00', accepted: true },
    {
      id: 'covers_00',
      message: 'covers_00: coverage 0.10 < 0.60 for "adds\n<x>"',
      accepted: false,
    },
  ],
  notes: ['first', 'second'],
  staleAcceptances: ['takes'],
  failing: true,
}
const errored: UnitReport = {
  ...clean,
  ...noReadings,
  name: 'errored',
  requestId: '',
  model: '',
  inputTokens: 0,
  notes: ['kept'],
  failing: true,
  error: 'line one\nline two \u0001',
}

test('every field in the order of the table', () => {
  assert.is(
    JSON.stringify(describeEntry({ ...flagged, error: 'why' })),
    '{"name":"a|b\\nc","request_id":"req_1","model":"svc-1","input_tokens":12,"truncated":true,' +
      '"behaviors":[{"id":"covers_00","behavior":"adds <x> & \\"y\\"","covered":0.1},' +
      '{"id":"covers_01","behavior":"takes","covered":0.6}],"contradicts_spec":0.05,' +
      '"thoroughness":2.456,"thoroughness_confidence":0.8,"weakest_area":"none",' +
      '"weakest_confidence":0.7,"flags":["thoroughness: 1.00 < 2.00 (accepted)",' +
      '"covers_00: coverage 0.10 < 0.60 for \\"adds\\n<x>\\""],"notes":["first","second"],' +
      '"stale_acceptances":["takes"],"failing":true,"error":"why"}',
  )
})

test('what is empty or zero is left out where the table says so', () => {
  assert.is(
    JSON.stringify(describeEntry({ ...clean, requestId: '', model: '', inputTokens: 0 })),
    '{"name":"clean","truncated":false,"behaviors":[{"id":"covers_00","behavior":"adds",' +
      '"covered":0.6}],"contradicts_spec":0.05,"thoroughness":2.456,' +
      '"thoroughness_confidence":0.8,"weakest_area":"none","weakest_confidence":0.7,' +
      '"flags":[],"failing":false}',
  )
})

test('D52: no text of a report keeps a key', () => {
  const key = 'kept-key'
  const say = `says ${key}`
  const report: UnitReport = {
    ...flagged,
    ...{ name: say, requestId: say, model: say, weakestArea: say, error: say },
    behaviors: [{ id: 'covers_00', behavior: say, covered: 0.1 }],
    flags: [{ id: 'covers_00', message: say, accepted: false }],
    ...{ notes: [say], staleAcceptances: [say] },
  }
  const shown = JSON.stringify(redactReport(report, createRedact([key])))
  assert.not.match(shown, key)
  assert.is(shown.split('says [redacted]').length - 1, 9)
})

test('the Markdown summary', () => {
  assert.is(
    writeMarkdownReport([clean, flagged, errored], 0.6),
    `# svc review

| Unit | Behaviors covered | Contradicts | Thoroughness | Weakest | Flags |
| --- | --- | --- | --- | --- | --- |
| clean | 1/1 | 0.05 | 2.46 (0.80) | none | 0 |
| a\\|b c | 1/2 | 0.05 | 2.46 (0.80) | none | 2 FAIL |
| errored | 0/1 | - | - | - | error |

## a|b c

note: sources were truncated to fit the state budget

note: first

note: second

- covers_00: coverage 0.10 < 0.60 for "adds \`<x>"\`
- thoroughness: 1.00 < 2.00 (accepted)
- acceptance did not fire: takes

## errored

error: line one line two \`\\x01\``,
  )
})

test('a note or a cut alone makes no section', () => {
  const noted = { ...clean, notes: ['n'], truncated: true }
  assert.not.match(writeMarkdownReport([noted], 0.6), '##')
})

test('JUnit: a suite per unit, a case per behavior', () => {
  const xml = writeJunitReport([clean, flagged, errored])
  assert.is(XMLValidator.validate(xml), true)
  assert.is(
    xml,
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="svc review" tests="8" failures="1" errors="1" skipped="1">
  <testsuite name="clean" tests="3" failures="0" errors="0" skipped="0">
    <testcase classname="clean" name="covers_00: adds"/>
    <testcase classname="clean" name="contradicts_spec"/>
    <testcase classname="clean" name="thoroughness"/>
  </testsuite>
  <testsuite name="a|b c" tests="4" failures="1" errors="0" skipped="1">
    <testcase classname="a|b c" name="covers_00: adds &lt;x&gt; &amp; &quot;y&quot;">
      <failure message="covers_00: coverage 0.10 &lt; 0.60 for &quot;adds &lt;x&gt;&quot;" type="flag"/>
    </testcase>
    <testcase classname="a|b c" name="covers_01: takes"/>
    <testcase classname="a|b c" name="contradicts_spec"/>
    <testcase classname="a|b c" name="thoroughness">
      <skipped message="accepted: thoroughness: 1.00 &lt; 2.00"/>
    </testcase>
  </testsuite>
  <testsuite name="errored" tests="1" failures="0" errors="1" skipped="0">
    <testcase classname="errored" name="review">
      <error message="line one line two \\x01" type="error"/>
    </testcase>
  </testsuite>
</testsuites>
`,
  )
})

test('JUnit: texts survive a parser', () => {
  const name = `it's <b> & "q" &amp; ]]> 😀`
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' })
  const { testsuites } = parser.parse(writeJunitReport([{ ...clean, name }]))
  assert.is(testsuites.testsuite.name, name)
})

test.run()
