import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mergePaths } from '../../../lib/client/providers/endpoints'

const test = suite('providers/endpoints')

const systemone = { askPath: '/v1/systemone', modelsPath: '/v1/models' }
const questions = { askPath: '/v1/questions', modelsPath: '/v1/models' }
const gemini = { askPath: '/v1beta/decisions', modelsPath: '/v1beta/models' }

test('appends the paths of a dialect without the segments that the address ends in', () => {
  const cases: ReadonlyArray<readonly [base: string, ask: string, models: string]> = [
    ['https://h.test', 'https://h.test/v1/systemone', 'https://h.test/v1/models'],
    ['https://h.test/v1', 'https://h.test/v1/systemone', 'https://h.test/v1/models'],
    ['https://h.test/api/v1', 'https://h.test/api/v1/systemone', 'https://h.test/api/v1/models'],
    // The host `v1` and the segment `xv1` do not end in the segment `v1`.
    ['https://v1', 'https://v1/v1/systemone', 'https://v1/v1/models'],
    ['https://h.test/xv1', 'https://h.test/xv1/v1/systemone', 'https://h.test/xv1/v1/models'],
    ['https://systemone', 'https://systemone/v1/systemone', 'https://systemone/v1/models'],
  ]
  for (const [base, ask, models] of cases) {
    const endpoints = mergePaths(base, systemone)
    assert.is(endpoints.ask.url, ask)
    assert.is(endpoints.models.url, models)
  }
  assert.is(mergePaths('https://h.test/v1beta', gemini).ask.url, 'https://h.test/v1beta/decisions')
})

test('takes an address that ends in a path for asking as the whole address for asking', () => {
  const cases: ReadonlyArray<readonly [base: string, models: string]> = [
    ['https://h.test/v1/systemone', 'https://h.test/v1/models'],
    ['https://h.test/v1/questions', 'https://h.test/v1/models'],
    ['https://h.test/a/decisions', 'https://h.test/a/models'],
  ]
  for (const [base, models] of cases)
    for (const paths of [systemone, questions]) {
      const endpoints = mergePaths(base, paths)
      assert.is(endpoints.ask.url, base)
      assert.is(endpoints.models.url, models)
    }
})

test('appends the query of a path for models', () => {
  const paths = { ...systemone, modelsPath: '/v1/models?a=b' }
  for (const base of ['https://h.test', 'https://h.test/v1', 'https://h.test/v1/systemone'])
    assert.is(mergePaths(base, paths).models.url, 'https://h.test/v1/models?a=b')
})

test('messages show the path of the dialect if the URL ends in it, else the last segment', () => {
  assert.is(mergePaths('https://h.test/api/v1', systemone).ask.path, '/v1/systemone')
  assert.is(mergePaths('https://h.test/api/v1/systemone', systemone).ask.path, '/v1/systemone')
  assert.is(mergePaths('https://h.test/api/alpha/decisions', systemone).ask.path, '/decisions')
  assert.is(mergePaths('https://h.test/api/alpha/decisions', systemone).models.path, '/models')
})

test.run()
