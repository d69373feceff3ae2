import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import { type Duration, formatDuration } from '../../runtime/duration'
import type { Logger } from '../../runtime/log'
import type { Runtime } from '../../runtime/runtime'
import type { Tracer } from '../../runtime/trace'
import type { Engine } from './engine'
import { engineApiKey } from './engine-key'

/** The flags of `svc serve` that are about its engine. */
export interface EngineFlags {
  readonly engine: string | undefined
  readonly 'engine-url': string | undefined
  readonly 'engine-model': string | undefined
  readonly 'engine-timeout': Duration
  readonly 'engine-max-retries': number
  readonly 'engine-concurrency': number
  readonly 'engine-permutations': number
  readonly 'engine-temperature': number
  readonly 'engine-body': string | undefined
  readonly fixtures: string | undefined
}

/** What an engine may need of the program. */
export interface EngineWorld {
  readonly runtime: Runtime
  readonly tracer: Tracer
  readonly log: Logger
  /** `svc/<version>`. */
  readonly userAgent: string
}

/** Builds the engine that the flags name, loading only that one. D39 */
export const selectEngine = (
  flags: EngineFlags,
  world: EngineWorld,
): TE.TaskEither<Failure, Engine> => {
  const name = flags.engine ?? (flags.fixtures === undefined ? 'lexical' : 'replay')
  if (flags.fixtures !== undefined && name !== 'replay') {
    return TE.left(usage(`--fixtures cannot be combined with --engine ${name}`))
  }
  if (flags['engine-timeout'] < 0n) {
    const given = formatDuration(flags['engine-timeout'])
    return TE.left(usage(`--engine-timeout must not be negative, got ${given}`))
  }
  switch (name) {
    case 'lexical':
      return TE.fromTask(async () => (await import('./lexical/engine')).lexicalEngine())
    case 'openai':
      return openai(flags, world)
    case 'upstream':
      return upstream(flags, world)
    case 'replay':
      return flags.fixtures === undefined
        ? TE.left(usage('--engine replay needs --fixtures'))
        : replay(flags.fixtures, world)
    default:
      return TE.left(
        usage(`invalid engine "${name}": must be one of lexical, openai, upstream or replay`),
      )
  }
}

const openai = (flags: EngineFlags, world: EngineWorld): TE.TaskEither<Failure, Engine> =>
  pipe(
    TE.fromTask(() => Promise.all([import('./openai/engine'), import('./openai/options')])),
    TE.chain(([{ openaiEngine }, { checkOpenaiOptions, parseEngineBody }]) =>
      pipe(
        E.Do,
        E.bind('apiKey', () => engineApiKey(world.runtime.env)),
        E.bind('body', () =>
          flags['engine-body'] === undefined
            ? E.right(undefined)
            : parseEngineBody(flags['engine-body']),
        ),
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
        E.map((options): Engine => openaiEngine(options, world)),
        TE.fromEither,
      ),
    ),
  )

const upstream = (flags: EngineFlags, world: EngineWorld): TE.TaskEither<Failure, Engine> => {
  const url = flags['engine-url']
  if (url === undefined) return TE.left(usage('--engine upstream needs --engine-url'))
  return pipe(
    TE.fromEither(engineApiKey(world.runtime.env)),
    TE.chain((apiKey) =>
      apiKey === undefined
        ? TE.left(usage('--engine upstream needs SERVICE_ENGINE_API_KEY'))
        : pipe(
            TE.fromTask(() => import('./upstream/engine')),
            TE.chainEitherK(({ upstreamEngine }) =>
              upstreamEngine(
                {
                  url,
                  apiKey,
                  model: flags['engine-model'],
                  timeout: flags['engine-timeout'],
                  userAgent: world.userAgent,
                },
                world,
              ),
            ),
          ),
    ),
  )
}

const replay = (folder: string, { runtime }: EngineWorld): TE.TaskEither<Failure, Engine> =>
  pipe(
    TE.fromTask(() => import('./replay/engine')),
    TE.chain(({ replayEngine }) => replayEngine(folder, runtime.files)),
  )
