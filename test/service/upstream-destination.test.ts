import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { messageOf } from '../../lib/failure/format-failure'
import { Secret } from '../../lib/failure/text/secret'
import {
  resolveUpstream,
  type UpstreamChoice,
} from '../../lib/service/engines/upstream/destination'
import type { UpstreamSettings } from './run-service'

const test = suite('service: address and key of an upstream service')

const noFlags: UpstreamChoice = {
  'engine-url': undefined,
  'engine-provider': undefined,
  'engine-dialect': undefined,
  'engine-model': undefined,
  key: undefined,
}

const addresses: ReadonlyArray<readonly [url: string, askUrl: string, modelsUrl: string]> = [
  ['http://h:1', 'http://h:1/v1/questions', 'http://h:1/v1/models'],
  ['http://h:1/', 'http://h:1/v1/questions', 'http://h:1/v1/models'],
  ['https://h/api/v1/', 'https://h/api/v1/questions', 'https://h/api/v1/models'],
  ['https://h/v1/systemone', 'https://h/v1/systemone', 'https://h/v1/models'],
  ['https://h/a/v1/questions', 'https://h/a/v1/questions', 'https://h/a/v1/models'],
]

for (const [url, askUrl, modelsUrl] of addresses)
  test(`--engine-url ${url} asks ${askUrl}`, async () => {
    const choice = { ...noFlags, 'engine-url': url, key: new Secret('engine-key') }
    const destination = await resolveUpstream(choice, {})()
    if (E.isLeft(destination)) throw new Error(JSON.stringify(destination.left))
    const { ask, models } = destination.right
    assert.equal([ask.url, models.url], [askUrl, modelsUrl])
  })

test('the message about an invalid --engine-url does not repeat its password', async () => {
  const choice = { ...noFlags, 'engine-url': 'ftp://user:pass@h' }
  const refused = JSON.stringify(await resolveUpstream(choice, {})())
  assert.match(refused, /invalid --engine-url/)
  assert.not.match(refused, /pass/)
})

const environment = {
  OPENAI_API_KEY: 'openai-key',
  TYPESAFE_API_KEY: 'typesafe-key',
  OPENAI_BASE_URL: 'http://elsewhere.example',
}
const openaiAddress = 'https://api.openai.com/v1/decisions'
const proxy = 'http://proxy.example'

const keyCases: ReadonlyArray<
  readonly [settings: UpstreamSettings, serviceEngineKey: string | undefined, expected: string]
> = [
  [{ provider: 'openai' }, undefined, `${openaiAddress} openai-key`],
  [{ provider: 'openai' }, 'engine-key', `${openaiAddress} engine-key`],
  [{ provider: 'openai', url: proxy }, 'engine-key', `${proxy}/v1/decisions engine-key`],
  [
    { provider: 'openai', url: proxy },
    undefined,
    'no API key for openai: set SERVICE_ENGINE_API_KEY',
  ],
  [
    { dialect: 'decisions', url: proxy },
    undefined,
    'no API key for decisions: set SERVICE_ENGINE_API_KEY',
  ],
  [{ url: proxy }, undefined, '--engine upstream needs SERVICE_ENGINE_API_KEY'],
  [{ url: proxy }, 'engine-key', `${proxy}/v1/questions engine-key`],
  [{ provider: 'ollama' }, undefined, 'http://127.0.0.1:11434/v1/systemone none'],
  [{ provider: 'litellm' }, 'engine-key', 'litellm has no default address: pass --engine-url'],
  [
    { provider: 'openai', dialect: 'gemini' },
    'engine-key',
    '--engine-dialect: openai supports decisions, not gemini',
  ],
  [
    { dialect: 'decisions' },
    'engine-key',
    '--engine upstream needs --engine-url or --engine-provider',
  ],
]

for (const [settings, serviceEngineKey, expected] of keyCases) {
  const keyTitle = serviceEngineKey === undefined ? 'without' : 'with'
  test(`${JSON.stringify(settings)} ${keyTitle} SERVICE_ENGINE_API_KEY: ${expected}`, async () => {
    const choice = {
      'engine-url': settings.url,
      'engine-provider': settings.provider,
      'engine-dialect': settings.dialect,
      'engine-model': undefined,
      key: serviceEngineKey === undefined ? undefined : new Secret(serviceEngineKey),
    }
    const resolved = await resolveUpstream(choice, environment)()
    if (E.isLeft(resolved)) return assert.is(messageOf(resolved.left), expected)
    const { ask, key } = resolved.right
    assert.is(`${ask.url} ${key?.reveal() ?? 'none'}`, expected)
  })
}

test.run()
