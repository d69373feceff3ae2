import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import type { AnsweringEngine, Engine, PassthroughEngine } from '../contract/engine'
import type {
  EngineEnvironment,
  EngineSettings,
  OpenEngine,
  SettingName,
} from '../contract/engine-settings'

/** An engine that can be opened. */
export interface EngineRow<A extends Engine> {
  /** The settings that the engine uses. Any other is refused if the user sets it. */
  readonly uses: ReadonlyArray<SettingName>
  /** Loads the code of the engine. The code of all other engines is not loaded. */
  readonly load: () => Promise<OpenEngine<A>>
}

/** The settings of engines that read the answers of a language model as letters. */
const readoutSettings = ['model', 'permutations', 'temperature'] as const

/** The engines that answer questions themselves, by name. To add one, add its folder beside this file and a row here. */
export const answeringEngines = {
  embedded: {
    uses: [],
    load: async () => (await import('./embedded/open-embedded')).openEmbedded,
  },
  chat: {
    uses: [...readoutSettings, 'url', 'apiKey', 'timeout', 'maxRetries', 'concurrency', 'body'],
    load: async () => (await import('./chat/open-chat')).openChat,
  },
  local: {
    uses: [...readoutSettings, 'context', 'threads'],
    load: async () => (await import('./local/open-local')).openLocal,
  },
  own: {
    uses: ['model'],
    load: async () => (await import('./own/open-own')).openOwn,
  },
} as const satisfies Readonly<Record<string, EngineRow<AnsweringEngine>>>

/** The name of an engine that answers questions itself. */
export type AnsweringEngineName = keyof typeof answeringEngines

/** The engines that pass requests on to another service or play recorded answers, by name. */
const passthroughEngines = {
  upstream: {
    uses: ['url', 'provider', 'dialect', 'model', 'timeout'],
    load: async () => (await import('./upstream/open-upstream')).openUpstream,
  },
  replay: {
    uses: ['fixtures', 'strict'],
    load: async () => (await import('./replay/open-replay')).openReplay,
  },
} as const satisfies Readonly<Record<string, EngineRow<PassthroughEngine>>>

/** All engines by the name that `svc serve --engine` takes. */
export const engines = { ...answeringEngines, ...passthroughEngines }

/** The name of an engine. */
export type EngineName = keyof typeof engines

/** The settings of an engine, and which of them the user has set. */
export interface ChosenSettings {
  readonly settings: EngineSettings
  readonly isPassed: (setting: SettingName) => boolean
}

/**
 * Loads an engine and opens it. Fails with a usage error if the user has set a setting that the engine does not use, and like
 * `OpenEngine`.
 */
export const openEngine =
  <A extends Engine>(
    { uses, load }: EngineRow<A>,
    { settings, isPassed }: ChosenSettings,
    environment: EngineEnvironment,
  ): TE.TaskEither<Failure, A> =>
  async () => {
    const { choice, nameOf } = environment.names
    for (const setting of Object.keys(settings) as ReadonlyArray<SettingName>)
      if (isPassed(setting) && !uses.includes(setting))
        return E.left(usage(`${nameOf(setting)} cannot be combined with ${choice}`))
    const open = await load()
    return open(settings, environment)()
  }
