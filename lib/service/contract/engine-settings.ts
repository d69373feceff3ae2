import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { DialectName } from '../../client/dialects/dialect'
import { describeKeyFault } from '../../client/providers/destination'
import type { ServiceName } from '../../client/providers/provider-names'
import { type Failure, usage } from '../../failure/failure'
import type { Runtime } from '../../runtime/runtime'
import type { Tracer } from '../../runtime/tracer'
import type { Duration } from '../../text/duration'
import { Secret } from '../../text/secret'
import type { Engine } from './engine'

/** The settings of all engines. Each engine uses some of them. */
export interface EngineSettings {
  /** The address of a model server or of a service. */
  readonly url: string | undefined
  /** The service that `upstream` asks. */
  readonly provider: ServiceName | undefined
  /** The dialect of the service that `upstream` asks. */
  readonly dialect: DialectName | undefined
  /** The name of the engine's model, or its file. */
  readonly model: string | undefined
  /** The API key for a model server. Overrides `SERVICE_ENGINE_API_KEY`. */
  readonly apiKey: string | undefined
  /** The time limit of one attempt to ask a server; 0 means no limit. */
  readonly timeout: Duration
  /** The maximum number of retries after the first attempt. */
  readonly maxRetries: number
  /** The maximum number of concurrent calls to a model server for one request, at least 1. */
  readonly concurrency: number
  /** The number of orders of the options in which a language model is asked a question, 1 to 20. */
  readonly permutations: number
  /** Above 1 flattens the probabilities of a language model, below 1 sharpens them. Greater than 0. */
  readonly temperature: number
  /** The maximum length of a prompt and its answer, in tokens. */
  readonly context: number
  /** The number of threads that compute; 0 means one for each core. */
  readonly threads: number
  /** A JSON object with more members for every request to a model server. */
  readonly body: string | undefined
  /** The folder of the scenarios that `replay` plays. */
  readonly fixtures: string | undefined
  /** `true` if `replay` explains how a request differs from the recorded ones. */
  readonly strict: boolean
}

export type SettingName = keyof EngineSettings

/** The names of the flags or options of engines, for messages. */
export interface EngineNames {
  /** The words that choose the engine, such as `--engine chat` or `--provider chat`. */
  readonly choice: string
  /** Returns the flag or option of a setting, such as `--engine-model` or `--model`. */
  readonly nameOf: (setting: SettingName) => string
}

/** The parts of the program that engines use. */
export interface EngineEnvironment {
  readonly runtime: EngineRuntime
  readonly tracer: Tracer
  /** `svc/<version>`. */
  readonly userAgent: string
  readonly names: EngineNames
  readonly purpose: EnginePurpose
}

/**
 * The reason why an engine is opened:
 *
 * - `service`: `svc serve` opens it. It may start while its server is away. Every failure is a usage error
 * - `questions`: a command or a program asks questions. A failure has the kind of its cause
 * - `models`: a command or a program only lists the models. It need not name a model of the server that the engine asks
 */
export type EnginePurpose = 'service' | 'questions' | 'models'

/** The part of the runtime that engines use. */
export type EngineRuntime = Pick<
  Runtime,
  'env' | 'files' | 'stderr' | 'clock' | 'random' | 'signal' | 'fetch'
>

/** Opens an engine. Fails with a usage error if the settings cannot be used, and as `EnginePurpose` says if the engine cannot. */
export type OpenEngine<A extends Engine = Engine> = (
  settings: EngineSettings,
  environment: EngineEnvironment,
) => TE.TaskEither<Failure, A>

/**
 * Reads the API key from the settings, else from `SERVICE_ENGINE_API_KEY`. Returns `undefined` if neither has more than spaces. Fails if
 * the key is too long, or if a header cannot carry it; the message does not repeat the key.
 */
export const readEngineKey = (
  env: Runtime['env'],
  { apiKey }: Pick<EngineSettings, 'apiKey'>,
): E.Either<Failure, Secret | undefined> => {
  const source = apiKey === undefined ? 'SERVICE_ENGINE_API_KEY' : 'the API key'
  const key = (apiKey ?? env.SERVICE_ENGINE_API_KEY)?.trim() ?? ''
  if (key === '') return E.right(undefined)
  const fault = describeKeyFault(key)
  return fault === undefined ? E.right(new Secret(key)) : E.left(usage(`${source} ${fault}`))
}
