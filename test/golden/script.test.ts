import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { goldenKey, type ReceivedRequest } from '../../lib/replay/compare-requests'
import { compactJson, type RecordedRequest } from '../../lib/replay/decode-scenario'
import type { NamedScenario, Scenario } from '../../lib/replay/scenarios'
import { createScript } from '../../lib/replay/script'
import { testBuild } from '../support/build'
import { assertGolden } from './golden-files'
import { fixturesFolder } from './project-scenarios'
import { runInProcess } from './run-in-process'

const test = suite('golden: the runner checks every request')

const createExpected = (state: string): RecordedRequest => ({
  method: 'POST',
  path: '/v1/questions',
  headers: new Map(),
  body: Buffer.from(JSON.stringify({ state })),
})

/** Creates a request with the headers that svc always sends. Its JSON has a space that `createExpected` leaves out. */
const createReceived = (state: string): ReceivedRequest => ({
  method: 'POST',
  path: '/v1/questions',
  headers: {
    accept: 'application/json',
    authorization: `Bearer ${goldenKey}`,
    'content-type': 'application/json',
    'user-agent': `svc/${testBuild.version}`,
  },
  body: Buffer.from(`{"state": "${state}"}`),
})

const emptyBody = new Uint8Array()

/**
 * Sends a request for each character of `states` to a script that expects the states a, b, b and c, and answers them with the
 * statuses 200, 201, 202 and 203. Returns the statuses and the problems.
 */
const playScript = (order: 'any' | 'written', states: string) => {
  const exchanges = ['a', 'b', 'b', 'c'].map((state, index) => ({
    request: createExpected(state),
    response: { status: 200 + index, headers: [], body: emptyBody, decodedBody: emptyBody },
  }))
  const { takeResponse, listProblems } = createScript({
    exchanges,
    isAnyOrder: order === 'any',
    version: testBuild.version,
  })
  const statuses = [...states].map((state) => takeResponse(createReceived(state)).status)
  return { statuses, problems: listProblems() }
}

test('the expected requests in order have no problems', () => {
  const { statuses, problems } = playScript('written', 'abbc')
  assert.equal(statuses, [200, 201, 202, 203])
  assert.equal(problems, [])
})

test('another order is a problem, unless the scenario allows any order', () => {
  for (const states of ['babc', 'acbb', 'cbba']) {
    assert.ok(playScript('written', states).problems.length > 0, states)
    assert.equal(playScript('any', states).problems, [], states)
  }
})

test('in any order each request gets its own response, and equal requests get theirs in the order written', () => {
  assert.equal(playScript('any', 'cbab').statuses, [203, 201, 200, 202])
})

for (const order of ['written', 'any'] as const) {
  test(`a missing request is a problem, with ${order} order`, () => {
    assert.equal(playScript(order, 'abb').problems, [
      'never came: POST /v1/questions {"state":"c"}',
    ])
    assert.is(playScript(order, '').problems.length, 4)
  })

  test(`a surplus request is a problem, with ${order} order`, () => {
    assert.equal(playScript(order, 'abbcd').problems, [
      'request 5 not expected: POST /v1/questions {"state": "d"}',
    ])
  })

  test(`a repeated request is a problem, with ${order} order`, () => {
    assert.equal(playScript(order, 'abbcc').problems, [
      'request 5 not expected: POST /v1/questions {"state": "c"}',
    ])
    // Of the expected a, b, b, c, the request for c is missing, and a second a comes as request 2.
    const { problems } = playScript(order, 'aabb')
    assert.ok(problems.some((problem) => problem.startsWith('request 2: body\n')))
  })

  test(`a request with another body is a problem, with ${order} order`, () => {
    const expected = 'request 4: body\n  expected {"state":"c"}\n  received {"state":"x"}'
    assert.ok(playScript(order, 'abbx').problems.includes(expected))
  })
}

test('in any order a repeated request does not take the response of another request', () => {
  const { problems } = playScript('any', 'aabb')
  assert.ok(problems.includes('never came: POST /v1/questions {"state":"c"}'))
})

test('bodies are compared without the whitespace between tokens, but with the spelling of numbers', () => {
  assert.is(
    compactJson(Buffer.from('{ "a b" : [ 1.0 , "\\" x" ],\n\t"c":1e400 }')),
    '{"a b":[1.0,"\\" x"],"c":1e400}',
  )
})

/** Creates a scenario of `svc models` that has no folder and no golden, its expected output. */
const createScenario = (exchanges: Scenario['exchanges']): NamedScenario => ({
  name: 'none',
  folder: join(fixturesFolder, 'none'),
  scenario: { title: 'none', command: 'svc models', exchanges },
})

/** Returns the message of the assertion that fails, or `''` if none fails. `assert.throws` of uvu does not catch failed assertions. */
const catchAssertion = (run: () => void): string => {
  try {
    run()
    return ''
  } catch (error) {
    return String(error)
  }
}

test('a scenario fails if its exchanges differ, whatever svc prints', async () => {
  const request = { method: 'GET', path: '/v1/models' }
  const exchange = { request, response: { body: { models: [] } } }
  const cases = [
    { exchanges: [], problem: 'request 1 not expected' },
    { exchanges: [exchange, exchange], problem: 'never came' },
  ]
  for (const { exchanges, problem } of cases) {
    const outcome = await runInProcess(createScenario(exchanges))
    assert.match(outcome.problems.join(), problem)
    const failure = catchAssertion(() => assertGolden('none', outcome))
    assert.match(failure, 'the exchanges')
  }
})

test.run()
