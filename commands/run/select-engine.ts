import type * as TE from 'fp-ts/TaskEither'
import type { DialectName } from '../../lib/client/dialects/dialect'
import type { ServiceName } from '../../lib/client/providers/provider-names'
import type { Failure } from '../../lib/failure/failure'
import type { Engine } from '../../lib/service/contract/engine'
import type {
  EngineEnvironment,
  EngineSettings,
  SettingName,
} from '../../lib/service/contract/engine-settings'
import { type EngineName, engines, openEngine } from '../../lib/service/engines/engines'
import type { Duration } from '../../lib/text/duration'

/** The flags of `svc serve` that choose the engine and set it up. `openai` is another name of `chat`. */
export interface EngineFlags {
  readonly engine: EngineName | 'openai' | undefined
  readonly 'engine-url': string | undefined
  readonly 'engine-provider': ServiceName | undefined
  readonly 'engine-dialect': DialectName | undefined
  readonly 'engine-model': string | undefined
  readonly 'engine-timeout': Duration
  readonly 'engine-max-retries': number
  readonly 'engine-concurrency': number
  readonly 'engine-permutations': number
  readonly 'engine-temperature': number
  readonly 'engine-context': number
  readonly 'engine-threads': number
  readonly 'engine-body': string | undefined
  readonly fixtures: string | undefined
  readonly strict: boolean
}

/** The flag of each setting. `svc serve` has no flag for the key: other users of a machine can see the flags of a service. */
const flagNames = {
  url: 'engine-url',
  provider: 'engine-provider',
  dialect: 'engine-dialect',
  model: 'engine-model',
  timeout: 'engine-timeout',
  maxRetries: 'engine-max-retries',
  concurrency: 'engine-concurrency',
  permutations: 'engine-permutations',
  temperature: 'engine-temperature',
  context: 'engine-context',
  threads: 'engine-threads',
  body: 'engine-body',
  fixtures: 'fixtures',
  strict: 'strict',
} as const satisfies Readonly<Record<Exclude<SettingName, 'apiKey'>, keyof EngineFlags>>

/** The name of a flag that sets an engine up. */
export type EngineFlag = (typeof flagNames)[keyof typeof flagNames]

/** A command line with the flags of engines. */
interface EngineContext {
  readonly flags: EngineFlags
  readonly isPassed: (flag: EngineFlag) => boolean
}

/**
 * Opens the engine that `--engine` names. The default is `replay` with `--fixtures`, and `embedded` without. Fails with a usage error
 * if the flags or the engine cannot be used.
 */
export const selectEngine = (
  { flags, isPassed }: EngineContext,
  environment: Omit<EngineEnvironment, 'names' | 'purpose'>,
): TE.TaskEither<Failure, Engine> => {
  const defaultName = flags.fixtures === undefined ? 'embedded' : 'replay'
  const passedName = flags.engine ?? defaultName
  const name = passedName === 'openai' ? 'chat' : passedName
  const settings: EngineSettings = {
    url: flags['engine-url'],
    provider: flags['engine-provider'],
    dialect: flags['engine-dialect'],
    model: flags['engine-model'],
    apiKey: undefined,
    timeout: flags['engine-timeout'],
    maxRetries: flags['engine-max-retries'],
    concurrency: flags['engine-concurrency'],
    permutations: flags['engine-permutations'],
    temperature: flags['engine-temperature'],
    context: flags['engine-context'],
    threads: flags['engine-threads'],
    body: flags['engine-body'],
    fixtures: flags.fixtures,
    strict: flags.strict,
  }
  const chosen = {
    settings,
    isPassed: (setting: SettingName) => setting !== 'apiKey' && isPassed(flagNames[setting]),
  }
  const names = {
    choice: `--engine ${passedName}`,
    nameOf: (setting: SettingName) =>
      setting === 'apiKey' ? 'SERVICE_ENGINE_API_KEY' : `--${flagNames[setting]}`,
  }
  return openEngine<Engine>(engines[name], chosen, { ...environment, names, purpose: 'service' })
}
