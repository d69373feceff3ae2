import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { messageOf } from '../../lib/failure/report'
import { Secret } from '../../lib/failure/text/secret'
import { resolveUpstream, type UpstreamFlags } from '../../lib/service/engines/upstream/destination'
import type { UpstreamSettings } from './run-service'

const test = suite('service: address and key of an upstream service')

const noFlags: UpstreamFlags = {
  'engine-url': undefined,
  'engine-provider': undefined,
  'engine-dialect': undefined,
  'engine-model': undefined,
  key: undefined,
}

/** The addresses of an upstream service, and those that svc asks and lists models at. */
const addresses = [
  { url: 'http://h:1', askUrl: 'http://h:1/v1/questions', modelsUrl: 'http://h:1/v1/models' },
  { url: 'http://h:1/', askUrl: 'http://h:1/v1/questions', modelsUrl: 'http://h:1/v1/models' },
  {
    url: 'https://h/api/v1/',
    askUrl: 'https://h/api/v1/questions',
    modelsUrl: 'https://h/api/v1/models',
  },
  {
    url: 'https://h/v1/systemone',
    askUrl: 'https://h/v1/systemone',
    modelsUrl: 'https://h/v1/models',
  },
  {
    url: 'https://h/a/v1/questions',
    askUrl: 'https://h/a/v1/questions',
    modelsUrl: 'https://h/a/v1/models',
  },
]

for (const { url, askUrl, modelsUrl } of addresses)
  test(`with --engine-url ${url}, svc asks ${askUrl}`, async () => {
    const flags = { ...noFlags, 'engine-url': url, key: new Secret('engine-key') }
    const destination = await resolveUpstream(flags, {})()
    if (E.isLeft(destination)) throw new Error(JSON.stringify(destination.left))
    const { ask, models } = destination.right
    assert.equal([ask.url, models.url], [askUrl, modelsUrl])
  })

test('the message about an invalid --engine-url does not repeat its password', async () => {
  const flags = { ...noFlags, 'engine-url': 'ftp://user:pass@h' }
  const refusal = JSON.stringify(await resolveUpstream(flags, {})())
  assert.match(refusal, /invalid --engine-url/)
  assert.not.match(refusal, /pass/)
})

const environment = {
  OPENAI_API_KEY: 'openai-key',
  TYPESAFE_API_KEY: 'typesafe-key',
  // This variable is for calls of svc itself. The engine ignores it, so no case expects this address.
  OPENAI_BASE_URL: 'http://elsewhere.example',
}
const openaiAddress = 'https://api.openai.com/v1/decisions'
const proxy = 'http://proxy.example'

interface KeyCase {
  readonly flags: Pick<UpstreamSettings, 'url' | 'provider' | 'dialect'>
  /** The value of SERVICE_ENGINE_API_KEY. */
  readonly engineKey?: string
  /** The address and the key with which svc asks, separated by a space, or the message of the refusal. */
  readonly expected: string
}

const keyCases: ReadonlyArray<KeyCase> = [
  { flags: { provider: 'openai' }, expected: `${openaiAddress} openai-key` },
  {
    flags: { provider: 'openai' },
    engineKey: 'engine-key',
    expected: `${openaiAddress} engine-key`,
  },
  {
    flags: { provider: 'openai', url: proxy },
    engineKey: 'engine-key',
    expected: `${proxy}/v1/decisions engine-key`,
  },
  {
    flags: { provider: 'openai', url: proxy },
    expected: 'no API key for openai: set SERVICE_ENGINE_API_KEY',
  },
  {
    flags: { dialect: 'decisions', url: proxy },
    expected: 'no API key for decisions: set SERVICE_ENGINE_API_KEY',
  },
  { flags: { url: proxy }, expected: '--engine upstream needs SERVICE_ENGINE_API_KEY' },
  { flags: { url: proxy }, engineKey: 'engine-key', expected: `${proxy}/v1/questions engine-key` },
  { flags: { provider: 'ollama' }, expected: 'http://127.0.0.1:11434/v1/systemone none' },
  {
    flags: { provider: 'litellm' },
    engineKey: 'engine-key',
    expected: 'litellm has no default address: pass --engine-url',
  },
  {
    flags: { provider: 'openai', dialect: 'gemini' },
    engineKey: 'engine-key',
    expected: '--engine-dialect: openai supports decisions, not gemini',
  },
  {
    flags: { dialect: 'decisions' },
    engineKey: 'engine-key',
    expected: '--engine upstream needs --engine-url or --engine-provider',
  },
]

for (const { flags, engineKey, expected } of keyCases) {
  const keyTitle = engineKey === undefined ? 'without' : 'with'
  test(`${JSON.stringify(flags)} ${keyTitle} SERVICE_ENGINE_API_KEY: ${expected}`, async () => {
    const upstreamFlags: UpstreamFlags = {
      'engine-url': flags.url,
      'engine-provider': flags.provider,
      'engine-dialect': flags.dialect,
      'engine-model': undefined,
      key: engineKey === undefined ? undefined : new Secret(engineKey),
    }
    const destination = await resolveUpstream(upstreamFlags, environment)()
    if (E.isLeft(destination)) {
      assert.is(messageOf(destination.left), expected)
      return
    }
    const { ask, key } = destination.right
    assert.is(`${ask.url} ${key?.reveal() ?? 'none'}`, expected)
  })
}

test.run()
