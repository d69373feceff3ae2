import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { DialectName } from '../../lib/client/dialects/dialect'
import { describeKeyFault } from '../../lib/client/providers/destination'
import type { ProviderName } from '../../lib/client/providers/provider-names'
import { type Failure, usage } from '../../lib/failure/failure'
import type { Runtime } from '../../lib/runtime/runtime'
import type { Tracer } from '../../lib/runtime/tracer'
import type { Engine } from '../../lib/service/contract/engine'
import { createLexicalEngine } from '../../lib/service/engines/lexical/engine'
import { openLocalEngine } from '../../lib/service/engines/local/engine'
import { openOpenaiEngine } from '../../lib/service/engines/openai/engine'
import {
  checkOpenaiOptions,
  type OpenaiOptions,
  parseEngineBody,
} from '../../lib/service/engines/openai/options'
import { openReplayEngine } from '../../lib/service/engines/replay/engine'
import { resolveUpstream } from '../../lib/service/engines/upstream/destination'
import { createUpstreamEngine } from '../../lib/service/engines/upstream/engine'
import type { Duration } from '../../lib/text/duration'
import { Secret } from '../../lib/text/secret'

/** The flags of `svc serve` that choose the engine and set it up. */
export interface EngineFlags {
  readonly engine: 'lexical' | 'local' | 'openai' | 'upstream' | 'replay' | undefined
  readonly 'engine-url': string | undefined
  readonly 'engine-provider': ProviderName | undefined
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

/** The parts of the program that engines use. */
export interface EngineEnvironment {
  readonly runtime: Runtime
  readonly tracer: Tracer
  /** `svc/<version>`. */
  readonly userAgent: string
}

/**
 * Opens the engine that `--engine` names. The default is `replay` with `--fixtures`, and `lexical` without. Fails with a usage error
 * if the flags or the engine cannot be used.
 */
export const selectEngine = (
  flags: EngineFlags,
  environment: EngineEnvironment,
): TE.TaskEither<Failure, Engine> => {
  const { fixtures, strict } = flags
  const { files, clock } = environment.runtime
  const name = flags.engine ?? (fixtures === undefined ? 'lexical' : 'replay')
  if (fixtures !== undefined && name !== 'replay')
    return TE.left(usage(`--fixtures cannot be combined with --engine ${name}`))
  switch (name) {
    case 'lexical':
      return TE.right(createLexicalEngine())
    case 'local':
      return openLocal(flags, environment)
    case 'openai':
      return openOpenai(flags, environment)
    case 'upstream':
      return openUpstream(flags, environment)
    case 'replay':
      return fixtures === undefined
        ? TE.left(usage('--engine replay needs --fixtures'))
        : openReplayEngine(fixtures, files, clock, strict)
  }
}

const openLocal = (
  flags: EngineFlags,
  { runtime }: EngineEnvironment,
): TE.TaskEither<Failure, Engine> => {
  const options = {
    // openLocalEngine refuses an empty name.
    model: flags['engine-model'] ?? '',
    context: flags['engine-context'],
    threads: flags['engine-threads'],
    permutations: flags['engine-permutations'],
    temperature: flags['engine-temperature'],
  }
  return openLocalEngine(options, runtime)
}

const openOpenai = (
  flags: EngineFlags,
  environment: EngineEnvironment,
): TE.TaskEither<Failure, Engine> => {
  const options = readOpenaiOptions(flags, environment.runtime.env)
  return E.isLeft(options) ? TE.left(options.left) : openOpenaiEngine(options.right, environment)
}

const readOpenaiOptions = (
  flags: EngineFlags,
  env: Runtime['env'],
): E.Either<Failure, OpenaiOptions> => {
  const apiKey = readEngineKey(env)
  if (E.isLeft(apiKey)) return apiKey
  const bodyText = flags['engine-body']
  const extraMembers = bodyText === undefined ? E.right(undefined) : parseEngineBody(bodyText)
  if (E.isLeft(extraMembers)) return extraMembers
  return checkOpenaiOptions({
    // checkOpenaiOptions refuses an empty address or model.
    url: flags['engine-url'] ?? '',
    model: flags['engine-model'] ?? '',
    apiKey: apiKey.right,
    permutations: flags['engine-permutations'],
    temperature: flags['engine-temperature'],
    concurrency: flags['engine-concurrency'],
    timeout: flags['engine-timeout'],
    maxRetries: flags['engine-max-retries'],
    extraMembers: extraMembers.right,
  })
}

const openUpstream = (
  flags: EngineFlags,
  environment: EngineEnvironment,
): TE.TaskEither<Failure, Engine> => {
  const { runtime, userAgent } = environment
  const key = readEngineKey(runtime.env)
  if (E.isLeft(key)) return TE.left(key.left)
  return pipe(
    resolveUpstream({ ...flags, key: key.right }, runtime.env),
    TE.map((destination) => {
      const options = { ...destination, timeout: flags['engine-timeout'], userAgent }
      return createUpstreamEngine(options, environment)
    }),
  )
}

/**
 * Reads the API key from `SERVICE_ENGINE_API_KEY`. Returns `undefined` if the variable is unset or has only spaces. Fails if the key is
 * too long, or if a header cannot carry it; the message does not repeat the key.
 */
export const readEngineKey = (env: Runtime['env']): E.Either<Failure, Secret | undefined> => {
  const key = env.SERVICE_ENGINE_API_KEY?.trim() ?? ''
  if (key === '') return E.right(undefined)
  const fault = describeKeyFault(key)
  return fault === undefined
    ? E.right(new Secret(key))
    : E.left(usage(`SERVICE_ENGINE_API_KEY ${fault}`))
}
