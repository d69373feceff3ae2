import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { goldenKey, type ReceivedRequest } from '../../lib/replay/exchange'
import type { RecordedRequest } from '../../lib/replay/scenario'
import type { NamedScenario, Scenario } from '../../lib/replay/scenarios'
import { createScript } from '../../lib/replay/script'
import { testBuild } from '../support/build'
import { compare } from './golden-files'
import { runInProcess } from './run-in-process'
import { fixturesFolder } from './scenario'

const test = suite('golden: the runner checks every request')

const named = (scenario: Partial<Scenario>): NamedScenario => ({
  name: 'none',
  folder: join(fixturesFolder, 'none'),
  scenario: { title: 'none', command: 'svc', ...scenario },
})

/** A question about `state`, as the scenario expects it and as it comes. */
const expected = (state: string): RecordedRequest => ({
  ...{ method: 'POST', path: '/v1/questions', headers: new Map() },
  body: Buffer.from(JSON.stringify({ state })),
})
const arrived = (state: string): ReceivedRequest => ({
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

const empty = new Uint8Array()

/** What is wrong when these requests come to a script of a, b, b and c, and what they are answered. */
const played = (order: 'any' | undefined, states: string) => {
  const exchanges = ['a', 'b', 'b', 'c'].map((state, index) => ({
    request: expected(state),
    response: { status: 200 + index, headers: [], body: empty, decodedBody: empty },
  }))
  const { next, problems } = createScript(exchanges, order === 'any', testBuild.version)
  const statuses = [...states].map((state) => next(arrived(state)).status)
  return { statuses, problems: problems() }
}

test('every request once, in order', () => {
  const { statuses, problems } = played(undefined, 'abbc')
  assert.equal(statuses, [200, 201, 202, 203])
  assert.equal(problems, [])
})

test('in another order', () => {
  for (const states of ['babc', 'acbb', 'cbba']) {
    assert.ok(played(undefined, states).problems.length > 0, states)
    assert.equal(played('any', states).problems, [], states)
  }
})

test('in any order each request has its own answer, equal ones in the order written', () => {
  assert.equal(played('any', 'cbab').statuses, [203, 201, 200, 202])
})

for (const order of [undefined, 'any'] as const) {
  test(`a missing request, order ${order}`, () => {
    assert.equal(played(order, 'abb').problems, ['never came: POST /v1/questions {"state":"c"}'])
    assert.is(played(order, '').problems.length, 4)
  })

  test(`a surplus request, order ${order}`, () => {
    assert.equal(played(order, 'abbcd').problems, [
      'request 5 not expected: POST /v1/questions {"state": "d"}',
    ])
  })

  test(`a doubled request, order ${order}`, () => {
    assert.equal(played(order, 'abbcc').problems, [
      'request 5 not expected: POST /v1/questions {"state": "c"}',
    ])
    const early = played(order, 'aabb').problems
    assert.ok(early.includes('never came: POST /v1/questions {"state":"c"}') || order === undefined)
    assert.ok(early.some((text) => text.startsWith('request 2: body\n')))
  })

  test(`a request with another body, order ${order}`, () => {
    assert.ok(
      played(order, 'abbx').problems.includes(
        'request 4: body\n  expected {"state":"c"}\n  received {"state":"x"}',
      ),
    )
  })
}

/** uvu's own `throws` lets failed assertions through. */
const failureOf = (run: () => void): string => {
  try {
    run()
    return ''
  } catch (error) {
    return String(error)
  }
}

test('a scenario fails by its exchanges, whatever it prints', async () => {
  const response = { body: { models: [] } }
  const request = { method: 'GET', path: '/v1/models' }
  for (const [count, wrong] of [
    [0, 'request 1 not expected'],
    [2, 'never came'],
  ] as const) {
    const exchanges = Array.from({ length: count }, () => ({ request, response }))
    const outcome = await runInProcess(named({ command: 'svc models', exchanges }))
    assert.match(outcome.problems.join(), wrong)
    assert.match(
      failureOf(() => compare('none', outcome)),
      'the exchanges',
    )
  }
})

test.run()
