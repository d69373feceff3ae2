import { once } from 'node:events'
import { isIP } from 'node:net'
import * as E from 'fp-ts/Either'
import { createCommandLogger, formatUserAgent } from '../../lib/cli/client'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { makeRecordedFolder } from '../../lib/replay/record/recorded-files'
import { createRecorder, type Recorder } from '../../lib/replay/record/recorder'
import type { Runtime } from '../../lib/runtime/runtime'
import { type AnswerLog, openAnswerLog } from '../../lib/service/answer-log/answer-log'
import type { Engine } from '../../lib/service/contract/engine'
import type { EngineEnvironment } from '../../lib/service/contract/engine-settings'
import type { Listening } from '../../lib/service/http/server'
import type { Keys } from '../../lib/service/keys/keys'
import { openKeys, watchHangup } from '../../lib/service/keys/open-keys'
import {
  createNoticeWriter,
  describeRecordingEnd,
  describeStart,
  describeStop,
  describeUnreachableEngine,
  describeUnusedAddress,
  type Notice,
  type WriteNotice,
} from '../../lib/service/observe/notices'
import { type ServiceOptions, startService } from '../../lib/service/start'
import { type Duration, toMillis } from '../../lib/text/duration'
import type { Redact } from '../../lib/text/secret'
import { type LogFormat, type Logger, warnOfPlainHttp } from '../../lib/tracing/log'
import { type EngineFlag, type EngineFlags, selectEngine } from './select-engine'

/** The options of `svc serve`. */
interface ServeFlags extends EngineFlags {
  readonly host: string
  readonly port: number
  readonly 'api-keys-file': string | undefined
  readonly record: string | undefined
  readonly 'trusted-proxy': ReadonlyArray<string>
  readonly 'log-format': LogFormat
  readonly 'log-answers': string | undefined
  readonly 'log-states': boolean
  readonly 'log-share': number
  readonly 'rate-limit': number
  readonly 'max-concurrent': number
  readonly 'max-waiting': number
  readonly 'max-body': number
  readonly 'read-timeout': Duration
  readonly 'answer-timeout': Duration
  readonly 'idle-timeout': Duration
}

/** The global flags that svc serve refuses. Each text completes the sentence `svc serve …` about what to use instead. */
const callFlagHints = {
  'api-key': 'takes keys from SERVICE_API_KEYS or --api-keys-file',
  'base-url': 'listens on --host and --port',
  provider: 'takes --engine-provider',
  dialect: 'takes --engine-dialect',
  model: 'takes --engine-model',
  timeout: 'takes --answer-timeout and --engine-timeout',
  'max-retries': 'takes --engine-max-retries',
  pretty: 'prints nothing on stdout',
} as const

type CallFlag = keyof typeof callFlagHints | 'log-states' | 'log-share'

type ServeContext = ContextWith<ServeFlags, CallFlag | EngineFlag>

/** The maximum time in milliseconds that stopping waits for requests in flight. */
const drainTimeoutMs = 10_000

/**
 * Runs `svc serve` until a signal stops it. Fails with a usage error if the service cannot start, and with `interrupted` if the
 * signal comes before the start.
 */
export const runServe = async (context: ServeContext): Promise<CommandOutcome> => {
  const { runtime, build, flags, tracer } = context
  const { env } = runtime
  const checkedFlags = checkFlags(context)
  if (E.isLeft(checkedFlags)) return checkedFlags
  const log = createCommandLogger(context, flags['log-format'])
  const openedKeys = await openKeys(context, log)
  if (E.isLeft(openedKeys)) return openedKeys
  const { keys, redact } = openedKeys.right
  const writeNotice = createNoticeWriter(runtime, flags['log-format'])
  const userAgent = formatUserAgent(build)
  const environment = { runtime, tracer, log, redact, writeNotice, userAgent }
  const start = startWithEngine(context, keys, environment)
  const started = await waitForStart(start, runtime)
  if (E.isLeft(started)) return started
  const { engine, listening, answerLog } = started.right
  const notices = [describeEngine(engine), await describeUnusedVariable(flags, env)]
  for (const notice of notices) if (notice !== undefined) await writeNotice(notice)
  const engineUrl = flags['engine-url']
  // svc sends this key with each call to the engine. 'API' is the kind of key that the warning names.
  if (engineUrl && env.SERVICE_ENGINE_API_KEY) warnOfPlainHttp(log, 'API', new URL(engineUrl))
  const stopSignal = watchHangup(context, openedKeys.right, log, answerLog?.reopen)
  void reportUnreachableEngine(engine, stopSignal, writeNotice)
  await serveUntilStopped(listening, stopSignal, writeNotice)
  return E.right({})
}

/** Fails with a usage error if a flag does not apply to svc serve, or if flags are invalid together. */
const checkFlags = ({ flags, isPassed }: ServeContext): E.Either<Failure, void> => {
  for (const name of ['log-states', 'log-share'] as const)
    if (isPassed(name) && flags['log-answers'] === undefined)
      return E.left(usage(`--${name} needs --log-answers`))
  if (flags['log-share'] === 0) return E.left(usage('--log-share must be above 0'))
  for (const name of Object.keys(callFlagHints) as ReadonlyArray<keyof typeof callFlagHints>)
    if (isPassed(name))
      return E.left(usage(`--${name} is for calls; svc serve ${callFlagHints[name]}`))
  if (flags.strict && flags.fixtures === undefined)
    return E.left(usage('--strict needs --fixtures'))
  const invalidProxy = flags['trusted-proxy'].find((address) => isIP(address) === 0)
  return invalidProxy === undefined
    ? E.right(undefined)
    : E.left(usage(`--trusted-proxy must be an IP address, got ${invalidProxy}`))
}

/** A service that accepts connections, and its engine. */
interface StartedService {
  readonly engine: Engine
  readonly listening: Listening
  readonly answerLog: AnswerLog | undefined
}

/** The parts of the program that the engine, the recorder and the service use. */
interface StartEnvironment extends Omit<EngineEnvironment, 'names' | 'purpose'> {
  readonly log: Logger
  readonly writeNotice: WriteNotice
  /** Redacts secrets in the recorded exchanges. */
  readonly redact: Redact
}

/** Opens the engine and the recorder, then starts the service. Fails with a usage error if one of them cannot start. */
const startWithEngine = async (
  context: ServeContext,
  keys: Keys,
  environment: StartEnvironment,
): Promise<E.Either<Failure, StartedService>> => {
  const { flags } = context
  const engine = await selectEngine(context, environment)()
  if (E.isLeft(engine)) return engine
  const { runtime, tracer, log } = environment
  const recorder = await openRecorder(flags.record, environment)
  if (E.isLeft(recorder)) return recorder
  const answerLog = await openLog(flags, environment)
  if (E.isLeft(answerLog)) return answerLog
  const options = createServiceOptions(flags, keys)
  const services = {
    clock: runtime.clock,
    tracer,
    log,
    recorder: recorder.right,
    answerLog: answerLog.right,
  }
  const listening = await startService(engine.right, options, services)()
  if (E.isLeft(listening)) {
    await answerLog.right?.close()
    return listening
  }
  return E.right({
    engine: engine.right,
    listening: listening.right,
    answerLog: answerLog.right,
  })
}

/** Opens the answer log of `--log-answers`. Fails with a usage error if its file cannot be written. */
const openLog = async (
  flags: ServeFlags,
  { runtime, log, redact }: Pick<StartEnvironment, 'runtime' | 'log' | 'redact'>,
): Promise<E.Either<Failure, AnswerLog | undefined>> => {
  const path = flags['log-answers']
  if (path === undefined) return E.right(undefined)
  const options = { path, share: flags['log-share'], withStates: flags['log-states'] }
  return openAnswerLog(options, { files: runtime.files, clock: runtime.clock, log, redact })
}

/** Creates the recorder for `--record`. Fails with a usage error if its folder cannot be created. */
const openRecorder = async (
  folder: string | undefined,
  { redact, writeNotice }: Pick<StartEnvironment, 'redact' | 'writeNotice'>,
): Promise<E.Either<Failure, Recorder | undefined>> => {
  if (folder === undefined) return E.right(undefined)
  const made = await makeRecordedFolder(folder)
  if (E.isLeft(made)) return made
  const recorder = createRecorder({
    folder,
    redact,
    onEnd: (reason) => {
      void writeNotice(describeRecordingEnd(reason))
    },
  })
  return E.right(recorder)
}

const createServiceOptions = (flags: ServeFlags, keys: Keys): ServiceOptions => ({
  host: flags.host,
  port: flags.port,
  keys,
  maxRequestsPerMinute: flags['rate-limit'],
  maxConcurrent: flags['max-concurrent'],
  maxWaiting: flags['max-waiting'],
  maxBodyBytes: flags['max-body'],
  readTimeoutMs: toMillis(flags['read-timeout']),
  answerTimeoutMs: toMillis(flags['answer-timeout']),
  idleTimeoutMs: toMillis(flags['idle-timeout']),
  drainTimeoutMs,
  trustedProxies: flags['trusted-proxy'],
})

/**
 * Waits for the start of the service. A signal ends the wait, which then resolves with `interrupted` at once. The start is not
 * undone, because the process ends.
 */
const waitForStart = <A>(
  start: Promise<E.Either<Failure, A>>,
  { signal }: Pick<Runtime, 'signal'>,
): Promise<E.Either<Failure, A>> =>
  new Promise((resolve) => {
    const interrupt = (): void => resolve(E.left(interrupted))
    signal.addEventListener('abort', interrupt, { once: true })
    if (signal.aborted) interrupt()
    void start.then((result) => {
      signal.removeEventListener('abort', interrupt)
      resolve(result)
    })
  })

/** Returns the notice that the default engine is only for trying svc out; `undefined` for any other engine. */
const describeEngine = ({ name }: Engine): Notice | undefined => {
  if (name !== 'embedded') return undefined
  const text = 'the embedded engine is small: it knows topics, but no logic; see svc help engines'
  return { text, message: text }
}

/** Pings an engine that asks a server, and writes a notice if the server does not answer. The service does not wait for it. */
const reportUnreachableEngine = async (
  { ping }: Engine,
  signal: AbortSignal,
  writeNotice: WriteNotice,
): Promise<void> => {
  if (ping === undefined) return
  const result = await ping(signal)()
  if (E.isLeft(result) && !signal.aborted) await writeNotice(describeUnreachableEngine(result.left))
}

const describeUnusedVariable = async (
  { 'engine-provider': provider }: ServeFlags,
  env: Runtime['env'],
): Promise<Notice | undefined> =>
  provider === undefined ? undefined : describeUnusedAddress(provider, env)

const serveUntilStopped = async (
  { url, countInFlight, stop }: Listening,
  signal: AbortSignal,
  writeNotice: WriteNotice,
): Promise<void> => {
  await writeNotice(describeStart(url))
  if (!signal.aborted) await once(signal, 'abort')
  await writeNotice(describeStop(countInFlight(), drainTimeoutMs))
  await stop()
}
