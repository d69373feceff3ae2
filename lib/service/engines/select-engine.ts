import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { DialectName } from '../../client/dialects/dialect'
import { findApiKey, parseApiKey } from '../../client/providers/api-key'
import type { ProviderName } from '../../client/providers/target'
import { type Failure, usage } from '../../failure/failure'
import type { Duration } from '../../failure/text/duration'
import type { Secret } from '../../failure/text/secret'
import type { Runtime } from '../../runtime/runtime'
import type { Tracer } from '../../runtime/tracer'
import type { Engine } from '../contract/engine'
import { lexicalEngine } from './lexical/engine'
import { openLocalEngine } from './local/engine'
import { openaiEngine } from './openai/engine'
import { checkOpenaiOptions, parseEngineBody } from './openai/options'
import { replayEngine } from './replay/engine'
import { resolveUpstream } from './upstream/destination'
import { upstreamEngine } from './upstream/engine'

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
interface EngineWorld {
  readonly runtime: Runtime
  readonly tracer: Tracer
  /** `svc/<version>`. */
  readonly userAgent: string
}

/** Creates the engine that the flags name. Fails with a usage error. */
export const selectEngine = (
  flags: EngineFlags,
  world: EngineWorld,
): TE.TaskEither<Failure, Engine> => {
  const { fixtures, engine: name = fixtures === undefined ? 'lexical' : 'replay' } = flags
  if (fixtures !== undefined && name !== 'replay')
    return TE.left(usage(`--fixtures cannot be combined with --engine ${name}`))
  switch (name) {
    case 'lexical':
      return TE.right(lexicalEngine())
    case 'local':
      return openLocal(flags, world)
    case 'openai':
      return openOpenai(flags, world)
    case 'upstream':
      return openUpstream(flags, world)
    case 'replay':
      return fixtures === undefined
        ? TE.left(usage('--engine replay needs --fixtures'))
        : openReplay(fixtures, flags.strict, world)
  }
}

const openReplay = (
  fixtures: string,
  strict: boolean,
  { runtime: { files, clock } }: EngineWorld,
): TE.TaskEither<Failure, Engine> => replayEngine(fixtures, files, clock, strict)

const openLocal = (
  flags: EngineFlags,
  { runtime }: EngineWorld,
): TE.TaskEither<Failure, Engine> => {
  const options = {
    model: flags['engine-model'] ?? '',
    context: flags['engine-context'],
    threads: flags['engine-threads'],
    permutations: flags['engine-permutations'],
    temperature: flags['engine-temperature'],
  }
  return openLocalEngine(options, runtime)
}

const openOpenai = (flags: EngineFlags, world: EngineWorld): TE.TaskEither<Failure, Engine> => {
  const body = flags['engine-body']
  return pipe(
    E.Do,
    E.bind('apiKey', () => readEngineKey(world.runtime.env)),
    E.bind('body', () => (body === undefined ? E.right(undefined) : parseEngineBody(body))),
    E.chain(({ apiKey, body }) =>
      checkOpenaiOptions({
        url: flags['engine-url'] ?? '',
        model: flags['engine-model'] ?? '',
        apiKey,
        permutations: flags['engine-permutations'],
        temperature: flags['engine-temperature'],
        concurrency: flags['engine-concurrency'],
        timeout: flags['engine-timeout'],
        maxRetries: flags['engine-max-retries'],
        body,
      }),
    ),
    TE.fromEither,
    TE.chain((options) => openaiEngine(options, world)),
  )
}

const openUpstream = (flags: EngineFlags, world: EngineWorld): TE.TaskEither<Failure, Engine> => {
  const { runtime, userAgent } = world
  return pipe(
    TE.fromEither(readEngineKey(runtime.env)),
    TE.chain((key) => resolveUpstream({ ...flags, key }, runtime.env)),
    TE.map((place) =>
      upstreamEngine({ ...place, timeout: flags['engine-timeout'], userAgent }, world),
    ),
  )
}

/** Reads the engine's API key; `undefined` if it is unset. Fails if a header cannot carry it, without repeating the key. */
export const readEngineKey = (env: Runtime['env']): E.Either<Failure, Secret | undefined> => {
  const key = findApiKey([env.SERVICE_ENGINE_API_KEY])
  return key === ''
    ? E.right(undefined)
    : pipe(
        parseApiKey(key),
        E.mapLeft(() => usage('SERVICE_ENGINE_API_KEY has characters that a header cannot carry')),
      )
}
