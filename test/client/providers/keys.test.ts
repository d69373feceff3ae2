/** Checks that an API key is sent only to the service that it is for, whatever else is set. */
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClientContext, findDestination } from '../../../lib/cli/client'
import { findKey } from '../../../lib/cli/find-key'
import { globalFlags } from '../../../lib/cli/globals'
import { readDestinationSettings } from '../../../lib/cli/prepare-run'
import { resolveFlagValues } from '../../../lib/cli/values'
import { messageOf } from '../../../lib/failure/report'
import { noTracer } from '../../../lib/runtime/tracer'
import { engineContext } from '../../support/engine-context'
import { createMemoryFiles } from '../../support/files'
import { createFakeRuntime } from '../../support/runtime'

const test = suite('providers/keys')

/** Flags or variables, by name. */
type Strings = Readonly<Record<string, string>>

/** Returns the address and the key of a call as `https://host/path key`, or the message of the failure. */
const describeCall = async (flags: Strings, env: Strings): Promise<string> => {
  const { files } = createMemoryFiles({ key: 'k-file' })
  const { runtime } = createFakeRuntime({ env, files })
  const destinationSettings = readDestinationSettings(new Map(Object.entries(flags)), env)
  const context: ClientContext = {
    runtime,
    destinationSettings,
    tracer: noTracer,
    logLevel: 'off',
    environmentKey: await findKey(runtime, destinationSettings),
    // Only the User-Agent header depends on the build.
    build: { version: '1', commit: 'c', modified: false, source: 'ldflags', go: 'v' },
    globals: resolveFlagValues(globalFlags, new Map(), {}),
    ...engineContext,
  }
  const destination = await findDestination(context)
  if (E.isLeft(destination)) return messageOf(destination.left)
  const { ask, key } = destination.right
  return `${ask.url} ${key?.reveal() ?? 'no key'}`
}

/** The variables with keys, and their values. `SERVICE_API_KEY_FILE` names a file that has the key `k-file`. */
const keyEnv: Strings = {
  SERVICE_API_KEY: 'k-service',
  SERVICE_API_KEY_FILE: 'key',
  TYPESAFE_API_KEY: 'k-typesafe',
  OPENAI_API_KEY: 'k-openai',
}
const serviceKeyVariables = ['SERVICE_API_KEY', 'SERVICE_API_KEY_FILE']

/** The facts about two providers that these tests need. */
const testProviders = {
  typesafe: {
    addressVariable: 'TYPESAFE_BASE_URL',
    keyVariable: 'TYPESAFE_API_KEY',
    tableAddress: 'https://api.typesafe.ai',
    path: '/v1/systemone',
  },
  openai: {
    addressVariable: 'OPENAI_BASE_URL',
    keyVariable: 'OPENAI_API_KEY',
    tableAddress: 'https://api.openai.com',
    path: '/v1/decisions',
  },
}
type TestProvider = keyof typeof testProviders
const testProviderNames = ['typesafe', 'openai'] as const

/** A way to set an address: `--base-url`, `SERVICE_BASE_URL`, or the variable of the provider. */
type AddressSource = 'flag' | 'service' | 'provider'

/** The expected destination of a call, for a way to choose the provider and its address. */
interface KeyRule {
  /** The setting that names the provider; `undefined` if none does. */
  readonly providerSource: '--provider' | 'SERVICE_PROVIDER' | undefined
  /** The addresses that are set. Each is `https://<source>.test`. */
  readonly addresses: ReadonlyArray<AddressSource>
  /** The address that the call goes to: one that is set, that of the table of providers, or that of `svc serve`. */
  readonly target: AddressSource | 'table' | 'default'
  /** True if svc ignores `SERVICE_PROVIDER`, because `--base-url` names another service. */
  readonly ignoresProvider?: true
  /** The variables whose key may be sent there, in the order in which they are read; `provider` is the provider's variable. */
  readonly keySources: 'provider' | ReadonlyArray<string>
}

const rules: ReadonlyArray<KeyRule> = [
  { providerSource: '--provider', addresses: [], target: 'table', keySources: 'provider' },
  {
    providerSource: '--provider',
    addresses: ['provider'],
    target: 'provider',
    keySources: 'provider',
  },
  { providerSource: '--provider', addresses: ['service'], target: 'table', keySources: 'provider' },
  {
    providerSource: '--provider',
    addresses: ['service', 'provider'],
    target: 'provider',
    keySources: 'provider',
  },
  { providerSource: '--provider', addresses: ['flag'], target: 'flag', keySources: [] },
  {
    providerSource: '--provider',
    addresses: ['flag', 'service', 'provider'],
    target: 'flag',
    keySources: [],
  },
  { providerSource: 'SERVICE_PROVIDER', addresses: [], target: 'table', keySources: 'provider' },
  {
    providerSource: 'SERVICE_PROVIDER',
    addresses: ['provider'],
    target: 'provider',
    keySources: 'provider',
  },
  {
    providerSource: 'SERVICE_PROVIDER',
    addresses: ['service'],
    target: 'service',
    keySources: serviceKeyVariables,
  },
  {
    providerSource: 'SERVICE_PROVIDER',
    addresses: ['service', 'provider'],
    target: 'service',
    keySources: serviceKeyVariables,
  },
  {
    providerSource: 'SERVICE_PROVIDER',
    addresses: ['flag'],
    target: 'flag',
    ignoresProvider: true,
    keySources: [],
  },
  {
    providerSource: 'SERVICE_PROVIDER',
    addresses: ['flag', 'service', 'provider'],
    target: 'flag',
    ignoresProvider: true,
    keySources: [],
  },
  {
    providerSource: undefined,
    addresses: [],
    target: 'default',
    keySources: [...serviceKeyVariables, 'TYPESAFE_API_KEY'],
  },
  {
    providerSource: undefined,
    addresses: ['provider'],
    target: 'default',
    keySources: [...serviceKeyVariables, 'TYPESAFE_API_KEY'],
  },
  {
    providerSource: undefined,
    addresses: ['service', 'provider'],
    target: 'service',
    keySources: [...serviceKeyVariables, 'TYPESAFE_API_KEY'],
  },
  {
    providerSource: undefined,
    addresses: ['flag'],
    target: 'flag',
    keySources: serviceKeyVariables,
  },
  {
    providerSource: undefined,
    addresses: ['flag', 'service', 'provider'],
    target: 'flag',
    keySources: serviceKeyVariables,
  },
]

/** Lists all subsets, the empty one included. */
const listSubsets = (list: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  let subsets: ReadonlyArray<ReadonlyArray<string>> = [[]]
  for (const element of list)
    subsets = [...subsets, ...subsets.map((subset) => [...subset, element])]
  return subsets
}

/** Creates flags for a rule and a provider. */
const createFlags = ({ providerSource, addresses }: KeyRule, provider: TestProvider): Strings => {
  const flags: Record<string, string> = {}
  if (providerSource === '--provider') flags.provider = provider
  if (addresses.includes('flag')) flags['base-url'] = 'https://flag.test'
  return flags
}

interface EnvOptions {
  readonly provider: TestProvider
  /** The value of `SERVICE_PROVIDER` if `--provider` overrides it. */
  readonly overriddenProvider: TestProvider
  /** The variables with keys that are set. */
  readonly keyVariables: ReadonlyArray<string>
}

/** Creates variables for a rule and a provider. The variables of the other provider are set too, and must be ignored. */
const createEnv = (
  { providerSource, addresses }: KeyRule,
  { provider, overriddenProvider, keyVariables }: EnvOptions,
): Strings => {
  const env: Record<string, string> = {}
  for (const name of testProviderNames)
    if (name !== provider) env[testProviders[name].addressVariable] = 'https://another.test'
  for (const name of keyVariables) env[name] = keyEnv[name] ?? ''
  if (addresses.includes('service')) env.SERVICE_BASE_URL = 'https://service.test'
  if (addresses.includes('provider'))
    env[testProviders[provider].addressVariable] = 'https://provider.test'
  if (providerSource === 'SERVICE_PROVIDER') env.SERVICE_PROVIDER = provider
  if (providerSource === '--provider') env.SERVICE_PROVIDER = overriddenProvider
  return env
}

/** Returns the URL to which a call must go. Without a provider it is in the dialect of `svc serve`. */
const findExpectedUrl = (
  { providerSource, target, ignoresProvider }: KeyRule,
  provider: TestProvider,
): string => {
  const { tableAddress, path } = testProviders[provider]
  const addresses = {
    table: tableAddress,
    default: 'http://127.0.0.1:8787',
    flag: 'https://flag.test',
    service: 'https://service.test',
    provider: 'https://provider.test',
  }
  const hasProvider = providerSource !== undefined && !ignoresProvider
  return addresses[target] + (hasProvider ? path : '/v1/questions')
}

/**
 * Asserts that a call goes to the URL of the rule with the first key that the rule allows, or that it fails without such a key.
 */
const checkRule = async (rule: KeyRule, provider: TestProvider, env: Strings): Promise<void> => {
  const call = await describeCall(createFlags(rule, provider), env)
  const details = JSON.stringify({ provider, env, call })
  const { providerSource, ignoresProvider } = rule
  const keySources =
    rule.keySources === 'provider' ? [testProviders[provider].keyVariable] : rule.keySources
  const keyVariable = keySources.find((name) => name in env)
  if (keyVariable !== undefined) {
    const key = keyVariable === 'SERVICE_API_KEY_FILE' ? 'k-file' : env[keyVariable]
    assert.is(call, `${findExpectedUrl(rule, provider)} ${key}`, details)
  } else if (providerSource === undefined || ignoresProvider) {
    assert.match(call, 'API key is required: pass WithAPIKey or set TYPESAFE_API_KEY', details)
  } else {
    assert.match(call, `no API key for ${provider}: `, details)
  }
}

for (const rule of rules) {
  const { providerSource = 'nothing', addresses, target } = rule
  const addressList = addresses.join(', ') || 'none'
  test(`provider named by ${providerSource}, addresses set: ${addressList}: goes to ${target}`, async () => {
    for (const provider of testProviderNames)
      for (const overriddenProvider of testProviderNames)
        for (const keyVariables of listSubsets(Object.keys(keyEnv)))
          await checkRule(
            rule,
            provider,
            createEnv(rule, { provider, overriddenProvider, keyVariables }),
          )
  })
}

const openaiEnv: Strings = {
  SERVICE_PROVIDER: 'openai',
  SERVICE_API_KEY: 'k',
  SERVICE_DIALECT: 'decisions',
}

interface KeyCase {
  readonly title: string
  readonly flags: Strings
  readonly env: Strings
  /** The URL and the key, or the message of the failure. */
  readonly expected: string
}

const cases: ReadonlyArray<KeyCase> = [
  {
    title: '--api-key goes where the call goes',
    flags: { provider: 'openai', 'base-url': 'https://proxy.test', 'api-key': 'k' },
    env: { OPENAI_API_KEY: 'k-openai' },
    expected: 'https://proxy.test/v1/decisions k',
  },
  {
    title: 'with --base-url and SERVICE_PROVIDER, keys in the environment are ignored',
    flags: { 'base-url': 'https://flag.test' },
    env: { ...openaiEnv, OPENAI_API_KEY: 'k-openai' },
    expected: 'typesafe: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY',
  },
  {
    title: 'the key of TypeSafe does not go to --base-url',
    flags: { 'base-url': 'https://flag.test' },
    env: { ...openaiEnv, TYPESAFE_API_KEY: 'k-typesafe' },
    expected: 'typesafe: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY',
  },
  {
    title: 'an empty --api-key counts as absent, and the key of another service is not used',
    flags: { provider: 'openai', 'api-key': '' },
    env: { SERVICE_API_KEY: 'k' },
    expected: 'no API key for openai: set OPENAI_API_KEY or pass --api-key',
  },
  {
    title: 'SERVICE_BASE_URL overrides the address of the provider, and gets SERVICE_API_KEY',
    flags: {},
    env: { ...openaiEnv, SERVICE_BASE_URL: 'https://service.test', OPENAI_API_KEY: 'k-openai' },
    expected: 'https://service.test/v1/decisions k',
  },
  {
    title: 'without SERVICE_API_KEY the key of the provider is not sent to SERVICE_BASE_URL',
    flags: {},
    env: {
      ...openaiEnv,
      SERVICE_BASE_URL: 'https://service.test',
      SERVICE_API_KEY: '',
      OPENAI_API_KEY: 'k-openai',
    },
    expected: 'no API key for openai: set SERVICE_API_KEY or pass --api-key',
  },
  {
    title: 'the key of a provider without an address goes to --base-url',
    flags: { provider: 'litellm', 'base-url': 'https://proxy.test' },
    env: { LITELLM_API_KEY: 'k-litellm' },
    expected: 'https://proxy.test/v1/systemone k-litellm',
  },
  {
    title: 'a local service needs no key',
    flags: { provider: 'ollama' },
    env: { SERVICE_API_KEY: 'k', OPENAI_API_KEY: 'k-openai' },
    expected: 'http://127.0.0.1:11434/v1/systemone no key',
  },
  {
    title: 'a local service gets the key of its provider',
    flags: { provider: 'ollama' },
    env: { OLLAMA_API_KEY: 'k-ollama', OLLAMA_HOST: '0.0.0.0:80' },
    expected: 'http://127.0.0.1/v1/systemone k-ollama',
  },
  {
    title: 'GOOGLE_API_KEY overrides GEMINI_API_KEY',
    flags: { provider: 'gemini' },
    env: { GEMINI_API_KEY: 'k-gemini', GOOGLE_API_KEY: 'k-google' },
    expected: 'https://generativelanguage.googleapis.com/v1beta/decisions k-google',
  },
]

for (const { title, flags, env, expected } of cases)
  test(title, async () => {
    assert.is(await describeCall(flags, env), expected)
  })

test.run()
