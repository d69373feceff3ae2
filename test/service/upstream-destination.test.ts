import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { messageOf } from '../../lib/failure/report'
import { resolveUpstream, type UpstreamFlags } from '../../lib/service/engines/upstream/destination'
import { Secret } from '../../lib/text/secret'
import type { UpstreamSettings } from './run-service'

const test = suite('service: address and key of an upstream service')

const noFlags: UpstreamFlags = {
  url: undefined,
  provider: undefined,
  dialect: undefined,
  model: undefined,
  key: undefined,
}

/**
 * The addresses of an upstream service, and those that svc asks and lists models at. The paths /v1/questions, /v1/systemone and
 * /v1/decisions stand for three dialects: forms of requests and responses.
 */
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
    const flags = { ...noFlags, url: url, key: new Secret('engine-key') }
    const destination = await resolveUpstream(flags, {})()
    if (E.isLeft(destination)) throw new Error(JSON.stringify(destination.left))
    const { ask, models } = destination.right
    assert.equal([ask.url, models.url], [askUrl, modelsUrl])
  })

test('the message about an invalid --engine-url does not repeat its password', async () => {
  const flags = { ...noFlags, url: 'ftp://user:pass@h' }
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

interface KeySettings {
  readonly flags: Pick<UpstreamSettings, 'url' | 'provider' | 'dialect'>
  /** The value of SERVICE_ENGINE_API_KEY. */
  readonly engineKey?: string
}

/** Resolves the destination of the flags in `environment`. */
const resolveInEnvironment = ({ flags, engineKey }: KeySettings) => {
  const upstreamFlags: UpstreamFlags = {
    url: flags.url,
    provider: flags.provider,
    dialect: flags.dialect,
    model: undefined,
    key: engineKey === undefined ? undefined : new Secret(engineKey),
  }
  return resolveUpstream(upstreamFlags, environment)()
}

const formatSettings = ({ flags, engineKey }: KeySettings): string =>
  `${JSON.stringify(flags)} ${engineKey === undefined ? 'without' : 'with'} SERVICE_ENGINE_API_KEY`

interface AcceptedCase extends KeySettings {
  /** The address that svc asks. */
  readonly askUrl: string
  /** The key that svc sends; `undefined` for none. */
  readonly sentKey: string | undefined
}

const acceptedCases: ReadonlyArray<AcceptedCase> = [
  { flags: { provider: 'openai' }, askUrl: openaiAddress, sentKey: 'openai-key' },
  {
    flags: { provider: 'openai' },
    engineKey: 'engine-key',
    askUrl: openaiAddress,
    sentKey: 'engine-key',
  },
  {
    flags: { provider: 'openai', url: proxy },
    engineKey: 'engine-key',
    askUrl: `${proxy}/v1/decisions`,
    sentKey: 'engine-key',
  },
  {
    flags: { url: proxy },
    engineKey: 'engine-key',
    askUrl: `${proxy}/v1/questions`,
    sentKey: 'engine-key',
  },
  {
    flags: { provider: 'ollama' },
    askUrl: 'http://127.0.0.1:11434/v1/systemone',
    sentKey: undefined,
  },
]

for (const { askUrl, sentKey, ...settings } of acceptedCases)
  test(`${formatSettings(settings)}: asks ${askUrl} ${sentKey === undefined ? 'without a key' : `with ${sentKey}`}`, async () => {
    const destination = await resolveInEnvironment(settings)
    if (E.isLeft(destination)) throw new Error(JSON.stringify(destination.left))
    const { ask, key } = destination.right
    assert.equal([ask.url, key?.reveal()], [askUrl, sentKey])
  })

interface RefusedCase extends KeySettings {
  readonly message: string
}

const refusedCases: ReadonlyArray<RefusedCase> = [
  {
    flags: { provider: 'openai', url: proxy },
    message: 'no API key for openai: set SERVICE_ENGINE_API_KEY',
  },
  {
    flags: { dialect: 'decisions', url: proxy },
    message: 'no API key for decisions: set SERVICE_ENGINE_API_KEY',
  },
  { flags: { url: proxy }, message: '--engine upstream needs SERVICE_ENGINE_API_KEY' },
  {
    flags: { provider: 'litellm' },
    engineKey: 'engine-key',
    message: 'litellm has no default address: pass --engine-url',
  },
  {
    flags: { provider: 'databricks' },
    engineKey: 'engine-key',
    message: 'databricks has no default address: pass --engine-url',
  },
  {
    flags: { provider: 'cloudflare' },
    engineKey: 'engine-key',
    message:
      'cloudflare needs the id of your account: set CLOUDFLARE_ACCOUNT_ID or pass --engine-url',
  },
  {
    flags: { provider: 'openai', dialect: 'gemini' },
    engineKey: 'engine-key',
    message: '--engine-dialect: openai supports decisions, not gemini',
  },
  {
    flags: { dialect: 'decisions' },
    engineKey: 'engine-key',
    message: '--engine upstream needs --engine-url or --engine-provider',
  },
]

for (const { message, ...settings } of refusedCases)
  test(`${formatSettings(settings)}: refuses with "${message}"`, async () => {
    const destination = await resolveInEnvironment(settings)
    assert.ok(E.isLeft(destination))
    assert.is(messageOf(destination.left), message)
  })

test.run()
