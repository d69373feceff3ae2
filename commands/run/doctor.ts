import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { createClientAt, readKey } from '../../lib/cli/client'
import type { Context, Result, Run } from '../../lib/cli/declaration'
import { listModels } from '../../lib/client/call/client'
import { findRoute } from '../../lib/client/providers/find-route'
import type { Route } from '../../lib/client/providers/place'
import type { Setting } from '../../lib/client/providers/target'
import type { Draft } from '../../lib/codec/json/draft'
import { itemsIn } from '../../lib/codec/json/json'
import { classify } from '../../lib/failure/classify'
import { errorOf } from '../../lib/failure/envelope'
import { type Failure, interrupted } from '../../lib/failure/failure'
import { mapTexts } from '../../lib/failure/map-texts'
import { messageOf } from '../../lib/failure/message'
import { sanitize } from '../../lib/failure/text/harmless'
import { redactCredentials } from '../../lib/failure/text/secret'
import { findProxyVariable } from '../../lib/runtime/http/proxy-choice'
import { decideTracing } from '../../lib/tracing/open-tracing'
import type { DoctorFlags } from '../doctor'

type DoctorContext = Context<DoctorFlags>

/** Runs `svc doctor`: describes where calls would go, and makes one. Fails as `findRoute` does. P6 */
export const runDoctor: Run<DoctorFlags> = (context) =>
  pipe(
    findRoute(context.target, context.runtime.env),
    TE.bindTo('route'),
    TE.bind('trial', ({ route }) => TE.fromTask(() => tryModels(context, route))),
    TE.filterOrElse(
      ({ trial }) => trial?.failure?._tag !== 'Interrupted',
      () => interrupted,
    ),
    TE.chainTaskK(
      ({ route, trial }) =>
        () =>
          reportTrial(context, describeRoute(context, route), trial),
    ),
  )

/** What came of the call. Times are in milliseconds. */
interface Trial {
  readonly milliseconds?: number
  readonly models?: number
  readonly requestId?: string
  readonly failure?: Failure
}

/** Asks for the list of models once, unless `--offline` is given. */
const tryModels = async (context: DoctorContext, route: Route): Promise<Trial | undefined> => {
  if (context.flags.offline) return undefined
  const key = readKey(context, route)
  if (E.isLeft(key)) return { failure: key.left }
  const { clock } = context.runtime
  const client = createClientAt(context, { ...route, key: key.right })
  const started = clock.monotonic()
  const outcome = await listModels({ ...client, maxRetries: 0 })()
  const milliseconds = Math.round(clock.monotonic() - started)
  if (E.isLeft(outcome)) return { milliseconds, failure: outcome.left.failure }
  const { models, requestId } = outcome.right.value
  return { milliseconds, models: itemsIn(models).length, requestId }
}

/** The settings of a route by name, each with its value and source; `undefined` where there is none. */
type Settings = Readonly<Record<string, Setting | undefined>>

const describeRoute = (context: DoctorContext, route: Route): Settings => {
  const { runtime, globals, target, key } = context
  const { env } = runtime
  const found = target.key ?? key.key
  const proxy = findProxyVariable(env, new URL(route.ask.url))
  const tracing = decideTracing({ trace: globals.trace, noTrace: globals['no-trace'] }, env)
  return {
    ...route.settings,
    service: settingOf(route.summary, 'provider'),
    ask: { value: route.ask.url, source: 'address and dialect' },
    key: found && { value: `sent in ${route.keyHeader}`, source: found.source },
    proxy: settingOf(proxy && redactCredentials(env[proxy] ?? ''), proxy),
    ca_file: settingOf(env.NODE_EXTRA_CA_CERTS, 'NODE_EXTRA_CA_CERTS'),
    tracing: { value: tracing.isOn ? 'on' : 'off', source: tracing.source },
  }
}

const settingOf = (value: string | undefined, source: string | undefined): Setting | undefined =>
  value && source ? { value, source } : undefined

/** Prints the settings and what came of the call. The exit code is that of the call. */
const reportTrial = async (
  { runtime, flags, redact }: DoctorContext,
  settings: Settings,
  trial: Trial | undefined,
): Promise<Result> => {
  const failure = trial?.failure && mapTexts(trial.failure, redact)
  const advice = failure && adviseOn(failure, settings.key !== undefined)
  if (failure !== undefined) await runtime.stderr.write(`svc: ${sanitize(messageOf(failure))}\n`)
  const exit = failure === undefined ? {} : { exit: classify(failure).exit }
  if (flags.table) return { stdout: writeTable(settings, trial, advice), ...exit }
  const document: Draft = {
    ...Object.fromEntries(
      Object.entries(settings).map(([name, setting]) => [name, setting ? { ...setting } : null]),
    ),
    ...(trial !== undefined && {
      milliseconds: trial.milliseconds,
      models: trial.models,
      request_id: trial.requestId || undefined,
    }),
    ...(failure !== undefined && { error: errorOf(failure), advice }),
  }
  return { stdout: { document }, ...exit }
}

/** Writes the result for people: a line for each setting, and one for what came of the call. */
const writeTable = (
  settings: Settings,
  trial: Trial | undefined,
  advice: string | undefined,
): string => {
  const lines = Object.entries(settings).map(
    ([name, setting]) =>
      [name, setting === undefined ? 'none' : `${setting.value} (${setting.source})`] as const,
  )
  const came =
    trial?.models === undefined ? [] : [['models', `${trial.models} in ${trial.milliseconds} ms`]]
  const rows = [...lines, ...came, ...(advice === undefined ? [] : [['advice', advice]])]
  return rows.map(([name = '', text = '']) => `${name.padEnd(9)} ${sanitize(text)}`).join('\n')
}

/** Says what to do about a failed call, which had a key or had none. */
const adviseOn = (failure: Failure, hasKey: boolean): string => {
  switch (classify(failure).kind) {
    case 'usage':
      return hasKey
        ? 'correct what the message names: svc help environment'
        : 'set the key in the variable that the message names; svc help providers lists them'
    case 'auth':
      return 'check the key: its source stands under "key"'
    case 'rate_limit':
      return 'wait, or ask the service for a higher limit'
    case 'server':
      return 'try again later: the service failed'
    case 'connection':
      return 'check address, proxy and network; start the service where it is to run on this machine'
    case 'request':
    case 'invalid_response':
      return 'check the address and the dialect: what answers there may be another service'
    case 'interrupted':
    case 'validation':
    case 'internal':
      return 'run it again with --log-level debug'
  }
}
