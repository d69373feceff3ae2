import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { joinPaths } from '../../../lib/client/providers/endpoints'
import { parseOllamaHost } from '../../../lib/client/providers/ollama-host'
import { providerNames } from '../../../lib/client/providers/provider-names'
import { providers } from '../../../lib/client/providers/table'

const test = suite('provider/address')

const systemone = { askPath: '/v1/systemone', modelsPath: '/v1/models' }
const gemini = { askPath: '/v1beta/decisions', modelsPath: '/v1beta/models' }

test('the path of a dialect is appended where it is not there yet, and /v1 is never doubled', () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ['https://h.test', 'https://h.test/v1/systemone', 'https://h.test/v1/models'],
    ['https://h.test/v1', 'https://h.test/v1/systemone', 'https://h.test/v1/models'],
    ['https://h.test/api/v1', 'https://h.test/api/v1/systemone', 'https://h.test/api/v1/models'],
    ['https://h.test/v1/systemone', 'https://h.test/v1/systemone', 'https://h.test/v1/models'],
    ['https://h.test/a/decisions', 'https://h.test/a/decisions', 'https://h.test/a/models'],
    ['https://v1', 'https://v1/v1/systemone', 'https://v1/v1/models'],
    ['https://h.test/xv1', 'https://h.test/xv1/v1/systemone', 'https://h.test/xv1/v1/models'],
    ['https://systemone', 'https://systemone/v1/systemone', 'https://systemone/v1/models'],
  ]
  for (const [base, ask, models] of cases) {
    const joined = joinPaths(base, systemone)
    assert.is(joined.ask.url, ask)
    assert.is(joined.models.url, models)
  }
  const questions = { askPath: '/v1/questions', modelsPath: '/v1/models' }
  assert.is(
    joinPaths('https://h.test/v1/questions', questions).models.url,
    'https://h.test/v1/models',
  )
  assert.is(joinPaths('https://h.test/v1beta', gemini).ask.url, 'https://h.test/v1beta/decisions')
  const queried = { ...systemone, modelsPath: '/v1/models?a=b' }
  for (const base of ['https://h.test', 'https://h.test/v1', 'https://h.test/v1/systemone'])
    assert.is(joinPaths(base, queried).models.url, 'https://h.test/v1/models?a=b')
})

test('messages name the path of the operation', () => {
  assert.is(joinPaths('https://h.test/api/v1', systemone).ask.path, '/v1/systemone')
  assert.is(joinPaths('https://h.test/api/v1/systemone', systemone).ask.path, '/v1/systemone')
  assert.is(joinPaths('https://h.test/api/alpha/decisions', systemone).ask.path, '/decisions')
  assert.is(joinPaths('https://h.test/api/alpha/decisions', systemone).models.path, '/models')
})

test('OLLAMA_HOST is read as Ollama does', () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ['127.0.0.1', 'http://127.0.0.1:11434'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:5000', 'http://127.0.0.1:5000'],
    [':5000', 'http://127.0.0.1:5000'],
    ['box.test', 'http://box.test:11434'],
    ['box.test:80', 'http://box.test:80'],
    ['http://box.test', 'http://box.test'],
    ['https://box.test', 'https://box.test'],
    ['https://box.test:8443/ollama', 'https://box.test:8443/ollama'],
    ['[::]', 'http://[::1]:11434'],
    ['::1', 'http://[::1]:11434'],
    ['[::1]:9', 'http://[::1]:9'],
  ]
  for (const [text, url] of cases) assert.is(parseOllamaHost(text), url, text)
})

test('every provider that needs a model to be named says how', () => {
  for (const name of providerNames) {
    const { defaultModel, modelHint } = providers[name]
    assert.is(defaultModel === undefined, modelHint !== undefined, name)
  }
})

test.run()
