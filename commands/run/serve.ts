import { once } from 'node:events'
import { isIP } from 'node:net'
import * as E from 'fp-ts/Either'
import { createCommandLogger, formatUserAgent } from '../../lib/cli/client'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { makeRecordedFolder } from '../../lib/replay/recorded-files'
import { createRecorder, type Recorder } from '../../lib/replay/recorder'
import type { Runtime } from '../../lib/runtime/runtime'
import type { Engine } from '../../lib/service/contract/engine'
import type { EngineEnvironment } from '../../lib/service/contract/engine-settings'
import type { Listening } from '../../lib/service/http/server'
import { readConfiguredKeys, reloadKeysOnHangup } from '../../lib/service/keys/configured-keys'
import { type ApiKey, checkKeys, createKeys, type Keys } from '../../lib/service/keys/keys'
import { type ServiceOptions, startService } from '../../lib/service/start'
import { type Duration, toMillis } from '../../lib/text/duration'
import { createRedact, type Redact } from '../../lib/text/secret'
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

type CallFlag = keyof typeof callFlagHints

type ServeContext = ContextWith<ServeFlags, CallFlag | EngineFlag>

/** The maximum time in milliseconds that stopping waits for requests in flight. */
const drainTimeoutMs = 10_000

/**
 * Runs `svc serve` until a signal stops it. Fails with a usage error if the service cannot start, and with `interrupted` if the
 * signal comes before the start.
 */
export const runServe = async (context: ServeContext): Promise<CommandOutcome> => {
  const { runtime, build, flags, tracer } = context
  const { env, stderr } = runtime
  const checkedFlags = checkFlags(context)
  if (E.isLeft(checkedFlags)) return checkedFlags
  const log = createCommandLogger(context, flags['log-format'])
  const openedKeys = await openKeys(context, log)
  if (E.isLeft(openedKeys)) return openedKeys
  const { keys, redact } = openedKeys.right
  const environment = { runtime, tracer, log, redact, userAgent: formatUserAgent(build) }
  const start = startWithEngine(context, keys, environment)
  const started = await waitForStart(start, runtime)
  if (E.isLeft(started)) return started
  const { engine, listening } = started.right
  await stderr.write(formatEngineHint(engine))
  const engineUrl = flags['engine-url']
  // svc sends this key with each call to the engine. 'API' is the kind of key that the warning names.
  if (engineUrl && env.SERVICE_ENGINE_API_KEY) warnOfPlainHttp(log, 'API', new URL(engineUrl))
  const stopSignal = watchHangup(context, openedKeys.right, log)
  await serveUntilStopped(listening, stopSignal, stderr)
  return E.right({})
}

/** Fails with a usage error if a flag does not apply to svc serve, or if flags are invalid together. */
const checkFlags = ({ flags, isPassed }: ServeContext): E.Either<Failure, void> => {
  for (const name of Object.keys(callFlagHints) as ReadonlyArray<CallFlag>)
    if (isPassed(name))
      return E.left(usage(`--${name} is for calls; svc serve ${callFlagHints[name]}`))
  if (flags.strict && flags.fixtures === undefined)
    return E.left(usage('--strict needs --fixtures'))
  const invalidProxy = flags['trusted-proxy'].find((address) => isIP(address) === 0)
  return invalidProxy === undefined
    ? E.right(undefined)
    : E.left(usage(`--trusted-proxy must be an IP address, got ${invalidProxy}`))
}

/** The keys that the service accepts. */
interface OpenedKeys {
  readonly keys: Keys
  /** Reads the keys from their sources again. Fails like `openKeys`. */
  readonly readKeys: () => Promise<E.Either<Failure, ReadonlyArray<ApiKey>>>
  /** Redacts secrets, and all keys that were ever accepted. */
  readonly redact: Redact
}

/**
 * Reads the keys of `SERVICE_API_KEYS` and `--api-keys-file`. Fails with a usage error if they are invalid, or if there are none and
 * other machines can reach the service.
 */
const openKeys = async (
  context: ServeContext,
  log: Logger,
): Promise<E.Either<Failure, OpenedKeys>> => {
  const { runtime, flags } = context
  const { env, files, signal } = runtime
  const sources = { list: env.SERVICE_API_KEYS, file: flags['api-keys-file'] }
  const acceptedKeys = new Set<string>()
  const readKeys = async () => {
    const configured = await readConfiguredKeys(sources, { files, log, signal })()
    if (E.isLeft(configured)) return configured
    const checked = checkKeys(flags.host, configured.right)
    if (E.isLeft(checked)) return checked
    for (const { key } of checked.right) acceptedKeys.add(key)
    return checked
  }
  const initialKeys = await readKeys()
  if (E.isLeft(initialKeys)) return initialKeys
  const redact: Redact = (text) => createRedact([...acceptedKeys])(context.redact(text))
  return E.right({ keys: createKeys(initialKeys.right), readKeys, redact })
}

/**
 * Lets SIGHUP reload the file of keys. Without a file, SIGHUP stops the service like SIGTERM. Returns the signal that stops the
 * service.
 */
const watchHangup = (
  { runtime, flags }: ServeContext,
  { keys, readKeys }: OpenedKeys,
  log: Logger,
): AbortSignal => {
  if (flags['api-keys-file'] !== undefined) {
    reloadKeysOnHangup(readKeys, keys, runtime, log)
    return runtime.signal
  }
  const hangup = new AbortController()
  runtime.onHangup?.(() => hangup.abort())
  return AbortSignal.any([runtime.signal, hangup.signal])
}

/** A service that accepts connections, and its engine. */
interface StartedService {
  readonly engine: Engine
  readonly listening: Listening
}

/** The parts of the program that the engine, the recorder and the service use. */
interface StartEnvironment extends Omit<EngineEnvironment, 'names'> {
  readonly log: Logger
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
  const recorder = await openRecorder(flags.record, runtime, environment.redact)
  if (E.isLeft(recorder)) return recorder
  const options = createServiceOptions(flags, keys)
  const services = { clock: runtime.clock, tracer, log, recorder: recorder.right }
  const listening = await startService(engine.right, options, services)()
  if (E.isLeft(listening)) return listening
  return E.right({ engine: engine.right, listening: listening.right })
}

/** Creates the recorder for `--record`. Fails with a usage error if its folder cannot be created. */
const openRecorder = async (
  folder: string | undefined,
  { files, stderr }: Pick<Runtime, 'files' | 'stderr'>,
  redact: Redact,
): Promise<E.Either<Failure, Recorder | undefined>> => {
  if (folder === undefined) return E.right(undefined)
  const made = await makeRecordedFolder(folder, files)
  if (E.isLeft(made)) return made
  const recorder = createRecorder({
    folder,
    files,
    redact,
    onEnd: (reason) => {
      void stderr.write(`svc: recording ended: ${reason}\n`)
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

/** Formats the warning that the default engine is only for trying svc out. Returns `''` for any other engine. */
const formatEngineHint = ({ name }: Engine): string =>
  name === 'embedded'
    ? 'svc: the lexical engine compares words; for real answers see svc help engines\n'
    : ''

const serveUntilStopped = async (
  { url, countInFlight, stop }: Listening,
  signal: AbortSignal,
  stderr: Runtime['stderr'],
): Promise<void> => {
  await stderr.write(`svc: listening on ${url}\n`)
  if (!signal.aborted) await once(signal, 'abort')
  await stderr.write(formatStopMessage(countInFlight()))
  await stop()
}

const formatStopMessage = (requestCount: number): string => {
  if (requestCount === 0) return 'svc: stopping\n'
  const noun = requestCount === 1 ? 'request' : 'requests'
  return `svc: stopping; waiting up to ${drainTimeoutMs / 1000} s for ${requestCount} ${noun}\n`
}
