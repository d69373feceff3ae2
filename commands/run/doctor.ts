import * as E from 'fp-ts/Either'
import { chooseKey, createClientAt } from '../../lib/cli/client'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import type { ObservedClient } from '../../lib/client/call/call-context'
import { checkAndAsk, fetchModels } from '../../lib/client/call/client'
import type { Route } from '../../lib/client/providers/destination'
import { findRoute } from '../../lib/client/providers/resolve-destination'
import { providers } from '../../lib/client/providers/table'
import type { Setting } from '../../lib/client/providers/target'
import { type Draft, toJson } from '../../lib/codec/json/draft'
import { itemsIn, type JsonValue, memberIn, stringIn } from '../../lib/codec/json/json'
import type { AskRequest } from '../../lib/codec/request'
import { classify, exitCode } from '../../lib/failure/classify'
import { errorOf } from '../../lib/failure/envelope'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { mapTexts } from '../../lib/failure/map-texts'
import { messageOf } from '../../lib/failure/message'
import { sanitize } from '../../lib/failure/text/harmless'
import { redactCredentials } from '../../lib/failure/text/secret'
import { findProxyVariable } from '../../lib/runtime/http/proxy-choice'
import type { Runtime } from '../../lib/runtime/runtime'
import { decideTracing } from '../../lib/tracing/open-tracing'

/** The options of `svc doctor`. */
interface DoctorOptions {
  readonly ask: boolean
  readonly offline: boolean
  readonly table: boolean
}

type DoctorContext = ContextWith<DoctorOptions>

/** Runs `svc doctor`: describes where calls would go, and makes one. Fails as `findRoute` does. */
export const runDoctor =
  (context: DoctorContext) => async (): Promise<E.Either<Failure, CommandResult>> => {
    const { ask, offline } = context.flags
    if (ask && offline) return E.left(usage('--ask cannot be combined with --offline'))
    const route = await findRoute(context.target, context.runtime.env)()
    if (E.isLeft(route)) return route
    const trial = offline ? undefined : await tryService(context, route.right)
    if (trial?.failure?._tag === 'Interrupted') return E.left(interrupted)
    return E.right(await reportTrial(context, route.right, trial))
  }

/** The result of the calls. Times are in milliseconds. */
interface Trial {
  readonly milliseconds?: number
  /** The names in the list of models. */
  readonly models?: ReadonlyArray<string>
  readonly requestId?: string
  /** The answer to the small question. */
  readonly answer?: AnsweredTrial
  readonly failure?: Failure
}

interface AnsweredTrial {
  readonly question: string
  /** The probability of a yes; `undefined` if the service refused to answer. */
  readonly noul: number | undefined
  readonly milliseconds: number
}

/** Asks for the list of models once. With `--ask` it then asks a question, unless the model is not in the list. */
const tryService = async (context: DoctorContext, route: Route): Promise<Trial> => {
  const key = chooseKey(context, route)
  if (E.isLeft(key)) return { failure: key.left }
  const { clock } = context.runtime
  const client = { ...createClientAt(context, { ...route, key: key.right }), maxRetries: 0 }
  const started = clock.monotonic()
  const outcome = await fetchModels(client)()
  const milliseconds = Math.round(clock.monotonic() - started)
  if (E.isLeft(outcome)) return { milliseconds, failure: outcome.left.failure }
  const { requestId, models } = outcome.right.value
  const trial = { milliseconds, models: itemsIn(models).map(nameOfModel), requestId }
  const isListed = describeMissingModel(route.settings, trial.models) === undefined
  return context.flags.ask && isListed ? { ...trial, ...(await tryQuestion(client)) } : trial
}

const smallQuestion = 'Does the text name a color?'

const tryQuestion = async (client: ObservedClient): Promise<Pick<Trial, 'answer' | 'failure'>> => {
  const { clock } = client.runtime
  const started = clock.monotonic()
  const request: AskRequest = {
    state: toJson('The sky is blue.'),
    questions: [['color', { type: 'noul', instructions: toJson(smallQuestion) }]],
    extra: new Map(),
  }
  const outcome = await checkAndAsk(request)(client)()
  if (E.isLeft(outcome)) return { failure: outcome.left.failure }
  const answer = outcome.right.value.answers.get('color')
  return {
    answer: {
      question: smallQuestion,
      noul: answer?.type === 'noul' ? answer.noul : undefined,
      milliseconds: Math.round(clock.monotonic() - started),
    },
  }
}

/** The name of an entry of the list. Services write it in one of two fields, and Gemini puts `models/` before it. */
const nameOfModel = (entry: JsonValue): string =>
  (stringIn(memberIn(entry, 'name')) ?? stringIn(memberIn(entry, 'id')) ?? '').replace(
    /^models\//,
    '',
  )

/** Names that services answer to although their lists lack them. */
const aliases = ['svc-latest', 'jev-latest']

const maxNamedModels = 5

/** Says that the model that a person chose is not in the list; `undefined` if it is, or if no list came. */
const describeMissingModel = (
  { model }: { readonly model?: Setting | undefined },
  names: ReadonlyArray<string> = [],
): string | undefined => {
  if (model === undefined || model.source === 'default' || names.length === 0) return undefined
  const known = [model.value, `${model.value}:latest`]
  if (aliases.includes(model.value) || names.some((name) => known.includes(name))) return undefined
  const more = names.length > maxNamedModels ? ` and ${names.length - maxNamedModels} more` : ''
  const list = names.length === 1 ? 'the only model' : `among the ${names.length} models`
  return `${model.value} is not ${list}: ${names.slice(0, maxNamedModels).join(', ')}${more}`
}

/** Names the keys of providers that are set and that this call does not use. */
const listOtherKeys = (env: Runtime['env'], used: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(providers).flatMap(([name, { keyVariables }]) => {
    const variable = keyVariables.find((one) => env[one]?.trim())
    return variable === undefined || used.includes(variable)
      ? []
      : [`${variable} is set: --provider ${name} would use it`]
  })

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
    images: describeImages(route),
    proxy: settingOf(proxy && redactCredentials(env[proxy] ?? ''), proxy),
    ca_file: settingOf(env.NODE_EXTRA_CA_CERTS, 'NODE_EXTRA_CA_CERTS'),
    tracing: { value: tracing.isOn ? 'on' : 'off', source: tracing.source },
  }
}

/** Says whether the service takes images. Without a provider that is not known, and svc sends them. */
const describeImages = ({ settings, takesImages }: Route): Setting =>
  settings.provider === undefined
    ? { value: 'not known', source: 'default' }
    : { value: takesImages ? 'yes' : 'no', source: 'provider' }

const settingOf = (value: string | undefined, source: string | undefined): Setting | undefined =>
  value && source ? { value, source } : undefined

/** Prints the settings and the result of the call, with the exit code of the call; 4 if the model is not in the list. */
const reportTrial = async (
  context: DoctorContext,
  route: Route,
  trial: Trial | undefined,
): Promise<CommandResult> => {
  const { runtime, flags, redact } = context
  const settings = describeRoute(context, route)
  const otherKeys = listOtherKeys(runtime.env, route.keyVariables)
  const failure = trial?.failure && mapTexts(trial.failure, redact)
  const missing = describeMissingModel(settings, trial?.models)
  const advice = failure ? adviseOn(failure, settings) : missing && adviseOnModel
  const message = failure ? messageOf(failure) : missing
  if (message !== undefined) await runtime.stderr.write(`svc: ${sanitize(message)}\n`)
  const exit = failure ? classify(failure).exit : missing ? exitCode.request : exitCode.ok
  if (flags.table) return { stdout: writeTable(settings, trial, otherKeys, advice), exit }
  const document: Draft = {
    ...Object.fromEntries(
      Object.entries(settings).map(([name, setting]) => [name, setting ? { ...setting } : null]),
    ),
    ...(trial !== undefined && {
      milliseconds: trial.milliseconds,
      models: trial.models?.length,
      request_id: trial.requestId || undefined,
      answer: trial.answer && { ...trial.answer, noul: trial.answer.noul ?? null },
    }),
    ...(otherKeys.length > 0 && { other_keys: otherKeys }),
    ...(failure !== undefined && { error: errorOf(failure), advice }),
    ...(missing !== undefined && { error: { kind: 'request', message: missing }, advice }),
  }
  return { stdout: { document }, exit }
}

/** Writes the result for people: a line for each setting and for the result of each call. */
const writeTable = (
  settings: Settings,
  trial: Trial | undefined,
  otherKeys: ReadonlyArray<string>,
  advice: string | undefined,
): string => {
  const lines = Object.entries(settings).map(
    ([name, setting]) =>
      [name, setting === undefined ? 'none' : `${setting.value} (${setting.source})`] as const,
  )
  const came =
    trial?.models === undefined
      ? []
      : [['models', `${trial.models.length} in ${trial.milliseconds} ms`]]
  const keys = otherKeys.map((text) => ['other key', text])
  const answers = trial?.answer ? [['answer', describeAnswer(trial.answer)]] : []
  const rows = [
    ...lines,
    ...keys,
    ...came,
    ...answers,
    ...(advice === undefined ? [] : [['advice', advice]]),
  ]
  return rows.map(([name = '', text = '']) => `${name.padEnd(9)} ${sanitize(text)}`).join('\n')
}

const describeAnswer = ({ question, noul, milliseconds }: AnsweredTrial): string => {
  const text = noul === undefined ? 'no answer' : `P(yes) ${noul.toFixed(3)}`
  return `${question} ${text} in ${milliseconds} ms`
}

const adviseOnModel = 'pass one of the list by --model: svc models prints it'

/** Says what to do about a failed call. */
const adviseOn = (failure: Failure, { key, provider }: Settings): string => {
  if (failure._tag === 'ApiError' && failure.cause === 'no credit')
    return 'add credit to the account: waiting does not help'
  if (failure._tag === 'ApiError' && failure.status === 407) return adviseOnProxy
  if (failure._tag === 'Connection' && failure.cause.startsWith('the proxy answered 407'))
    return adviseOnProxy
  switch (classify(failure).kind) {
    case 'usage':
      if (key !== undefined) return 'correct what the message names: svc help environment'
      return provider === undefined
        ? 'set SERVICE_API_KEY, or name a service by --provider: svc help providers'
        : 'set the key in the variable that the message names: svc help providers'
    case 'auth':
      return 'check the key: its source stands under "key"'
    case 'rate_limit':
      return 'too many requests: wait, or ask the service for a higher limit'
    case 'server':
      return 'try again later: the service failed'
    case 'connection':
      return 'check address, proxy and network; start the service if it runs on this machine'
    case 'request':
    case 'invalid_response':
      return 'check the address and the dialect: another service may answer there'
    case 'interrupted':
    case 'validation':
    case 'internal':
      return 'run it again with --log-level debug'
  }
}

const adviseOnProxy = 'the proxy wants credentials: put user:password into HTTPS_PROXY'
