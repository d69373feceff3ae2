import type { EngineCallFlag, EngineCallFlags } from '../../lib/cli/client'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { locateAsk } from '../../lib/client/call/encode-call'
import type { DestinationWithoutKey } from '../../lib/client/providers/destination'
import type { Setting } from '../../lib/client/providers/destination-settings'
import { adviseOnMissingRoute } from '../../lib/client/providers/missing-route'
import { describeOtherKeys } from '../../lib/client/providers/other-keys'
import type { Draft } from '../../lib/codec/json/draft'
import {
  type ApiError,
  type Failure,
  isRouteMissing,
  mapFailureTexts,
  usage,
} from '../../lib/failure/failure'
import { classify, errorOf, exitCodes, messageOf } from '../../lib/failure/report'
import { findProxyVariable } from '../../lib/runtime/http/proxy-choice'
import { sanitize } from '../../lib/text/sanitize'
import { redactCredentials } from '../../lib/text/secret'
import { decideTracing } from '../../lib/tracing/open-tracing'

/** The options of `svc doctor`. */
interface DoctorOptions extends EngineCallFlags {
  readonly ask: boolean
  readonly offline: boolean
  readonly table: boolean
}

export type DoctorContext = ContextWith<DoctorOptions, EngineCallFlag>

/** The results of the calls that `svc doctor` makes. */
export interface Trial {
  /** The time that the list of models took. */
  readonly milliseconds?: number
  /** The names in the list of models. */
  readonly models?: ReadonlyArray<string>
  readonly requestId?: string
  readonly answer?: AnsweredTrial
  /** Advice if no call failed. */
  readonly advice?: string
  /** The failure of the last call, or the reason why no call was made. */
  readonly failure?: Failure | undefined
}

/** The answer to the question of `--ask`, and the time that it took. */
export interface AnsweredTrial {
  readonly question: string
  /** The probability of a yes; `undefined` if the service refused to answer. */
  readonly noul: number | undefined
  readonly milliseconds: number
}

/** Model names that services accept although their lists of models lack them. */
const unlistedModels = ['svc-latest', 'jev-latest']

/** The maximum number of models that a message names. */
const maxNamedModels = 5

const proxyAdvice = 'the proxy wants credentials: put user:password into HTTPS_PROXY'

/**
 * Returns the error message if the model that the user chose is not in the service's list. Returns `undefined` if it is, if the
 * user chose no model, or if the list is empty.
 */
export const describeMissingModel = (
  model: Setting | undefined,
  names: ReadonlyArray<string> = [],
): string | undefined => {
  if (model === undefined || model.source === 'default' || names.length === 0) return undefined
  if (unlistedModels.includes(model.value)) return undefined
  // Ollama lists the model `x` as `x:latest`.
  if (names.includes(model.value) || names.includes(`${model.value}:latest`)) return undefined
  const unnamedCount = names.length - maxNamedModels
  const more = unnamedCount > 0 ? ` and ${unnamedCount} more` : ''
  const scope = names.length === 1 ? 'the only model' : `among the ${names.length} models`
  return `${model.value} is not ${scope}: ${names.slice(0, maxNamedModels).join(', ')}${more}`
}

/** The report of `svc doctor`. */
interface DoctorReport {
  readonly settings: DoctorSettings
  /** A sentence for each key that is set, but that calls to this service do not use. */
  readonly otherKeys: ReadonlyArray<string>
  /** `undefined` with `--offline`. */
  readonly trial: Trial | undefined
  readonly fault: TrialFault | undefined
}

/** The settings of a destination by name, each with its value and source; `undefined` if there is no value. */
type DoctorSettings = Readonly<Record<string, Setting | undefined>>

/** The reason why calls do not work, and what to do about it. */
interface TrialFault {
  readonly message: string
  /** The `error` of the document. */
  readonly error: Draft
  readonly advice: string
  readonly exitCode: number
}

/**
 * Reports the settings and the results of the calls. `trial` is `undefined` with `--offline`. The exit code is that of the failed
 * call, 4 for a model that is not in the list, otherwise 0.
 */
export const reportTrial = async (
  context: DoctorContext,
  destination: DestinationWithoutKey,
  trial: Trial | undefined,
): Promise<CommandResult> => {
  const { runtime, flags } = context
  const settings = describeSettings(context, destination)
  const otherKeys = describeOtherKeys(runtime.env, destination.keyVariables)
  const fault = trial && findTrialFault(context, trial, settings, destination)
  if (fault !== undefined) await runtime.stderr.write(`svc: ${sanitize(fault.message)}\n`)
  const report = { settings, otherKeys, trial, fault }
  return {
    stdout: flags.table ? formatDoctorTable(report) : { document: describeDoctorReport(report) },
    exitCode: fault?.exitCode ?? exitCodes.ok,
  }
}

const describeSettings = (
  context: DoctorContext,
  destination: DestinationWithoutKey,
): DoctorSettings => {
  const { runtime, globals, destinationSettings, environmentKey } = context
  const { env } = runtime
  const keySetting = destinationSettings.key ?? environmentKey.key
  const { networkUrl } = destination
  const proxyVariable = networkUrl ? findProxyVariable(env, new URL(networkUrl)) : undefined
  const tracing = decideTracing({ trace: globals.trace, noTrace: globals['no-trace'] }, env)
  return {
    ...destination.settings,
    service: createSetting(destination.summary, 'provider'),
    ask: { value: locateAskOf(destination), source: 'address and dialect' },
    key: keySetting && { value: `sent in ${destination.keyHeader}`, source: keySetting.source },
    images: describeImages(destination),
    proxy: createSetting(
      proxyVariable && redactCredentials(env[proxyVariable] ?? ''),
      proxyVariable,
    ),
    ca_file: createSetting(env.NODE_EXTRA_CA_CERTS, 'NODE_EXTRA_CA_CERTS'),
    tracing: { value: tracing.isOn ? 'on' : 'off', source: tracing.source },
  }
}

/** Returns the address for asking. If it has a place for the model, and no model is known, the place stays `{model}`. */
const locateAskOf = (destination: DestinationWithoutKey): string => {
  const { model, ask } = destination
  return model === undefined ? ask.url : locateAsk(destination, model).url
}

const createSetting = (
  value: string | undefined,
  source: string | undefined,
): Setting | undefined => (value && source ? { value, source } : undefined)

/** Describes whether the service takes images. Without a provider this is unknown, and svc sends them. */
const describeImages = ({ settings, form }: DestinationWithoutKey): Setting => {
  if (settings.provider === undefined) return { value: 'not known', source: 'default' }
  return { value: form.images === 'none' ? 'no' : 'yes', source: 'provider' }
}

/**
 * Finds out why calls do not work: because of the failed call, else because there is no model, or because the chosen model is not in the
 * list.
 */
const findTrialFault = (
  { redact }: DoctorContext,
  trial: Trial,
  settings: DoctorSettings,
  { service, modelHint, engine }: DestinationWithoutKey,
): TrialFault | undefined => {
  if (trial.failure !== undefined) {
    const failure = mapFailureTexts(trial.failure, redact)
    return {
      message: messageOf(failure),
      error: errorOf(failure),
      advice: engine ? adviseOnEngine(failure) : adviseOnTrial(failure, trial, settings),
      exitCode: classify(failure).exitCode,
    }
  }
  if (settings.model === undefined && engine === undefined) {
    const missing = usage(`${service} has no default model: ${modelHint}`)
    const { exitCode } = classify(missing)
    return { message: messageOf(missing), error: errorOf(missing), advice: modelHint, exitCode }
  }
  const message = describeMissingModel(settings.model, trial.models)
  if (message === undefined) return undefined
  const advice = 'pass one of the list by --model: svc models prints it'
  return { message, error: { kind: 'request', message }, advice, exitCode: exitCodes.request }
}

/** Advises what to do about an engine in this process that does not answer. */
const adviseOnEngine = (failure: Failure): string => {
  switch (classify(failure).kind) {
    case 'connection':
      return 'start the model server, or correct --base-url'
    case 'request':
    case 'usage':
      return 'correct what the message names: svc help engines'
    case 'auth':
      return 'pass the key of the model server as --api-key, or set SERVICE_ENGINE_API_KEY'
    case 'rate_limit':
      return 'too many requests: wait, or ask the service for a higher limit'
    case 'server':
    case 'invalid_response':
      return 'svc help engines says what to set for each model server'
    case 'interrupted':
    case 'validation':
    case 'internal':
      return 'run it again with --log-level debug'
  }
}

/** Advises what to do about a failed call. */
const adviseOnTrial = (failure: Failure, trial: Trial, settings: DoctorSettings): string => {
  const { key, provider } = settings
  const advice =
    failure._tag === 'ApiError' ? adviseOnApiError(failure, trial, settings) : undefined
  if (advice !== undefined) return advice
  if (failure._tag === 'Connection' && failure.cause.startsWith('the proxy answered 407'))
    return proxyAdvice
  switch (classify(failure).kind) {
    case 'usage':
      if (key !== undefined) return 'correct what the message names: svc help environment'
      return provider === undefined
        ? 'set SERVICE_API_KEY, or name a service by --provider: svc help providers'
        : 'set the key in the variable that the message names: svc help providers'
    case 'auth':
      return 'check the key: "key" shows where it comes from'
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

/**
 * Advises what to do about an error response; `undefined` if its class says enough. If the service lists models, only its address for
 * questions can be missing.
 */
const adviseOnApiError = (
  failure: ApiError,
  { models }: Trial,
  { provider, address }: DoctorSettings,
): string | undefined => {
  if (failure.cause === 'no credit') return 'add credit to the account: waiting does not help'
  if (failure.status === 407) return proxyAdvice
  if (failure.status === 404 && /model/i.test(failure.message))
    return 'name a model that the service has by --model: svc models lists them'
  if (!isRouteMissing(failure) || models === undefined) return undefined
  return (
    adviseOnMissingRoute(provider?.value, address?.value) ??
    'the service lists models, but answers no questions at this address: name its form by --dialect, or ask a model itself by --provider chat'
  )
}

const describeDoctorReport = ({ settings, otherKeys, trial, fault }: DoctorReport): Draft => {
  const settingDrafts = Object.entries(settings).map(([name, setting]) => [
    name,
    setting === undefined ? null : { ...setting },
  ])
  return {
    ...Object.fromEntries(settingDrafts),
    milliseconds: trial?.milliseconds,
    models: trial?.models?.length,
    // An empty id is left out.
    request_id: trial?.requestId || undefined,
    answer: trial?.answer && { ...trial.answer, noul: trial.answer.noul ?? null },
    other_keys: otherKeys.length > 0 ? otherKeys : undefined,
    error: fault?.error,
    advice: fault?.advice ?? trial?.advice,
  }
}

/** Formats the report for people: a line for each setting, and for the result of each call. */
const formatDoctorTable = ({ settings, otherKeys, trial, fault }: DoctorReport): string => {
  const rows: Array<readonly [name: string, text: string]> = []
  for (const [name, setting] of Object.entries(settings))
    rows.push([name, setting === undefined ? 'none' : `${setting.value} (${setting.source})`])
  for (const sentence of otherKeys) rows.push(['other key', sentence])
  if (trial?.models !== undefined)
    rows.push(['models', `${trial.models.length} in ${trial.milliseconds} ms`])
  if (trial?.answer !== undefined) rows.push(['answer', formatAnswer(trial.answer)])
  const advice = fault?.advice ?? trial?.advice
  if (advice !== undefined) rows.push(['advice', advice])
  // No name is longer.
  const nameWidth = 'other key'.length
  return rows.map(([name, text]) => `${name.padEnd(nameWidth)} ${sanitize(text)}`).join('\n')
}

const formatAnswer = ({ question, noul, milliseconds }: AnsweredTrial): string => {
  const text = noul === undefined ? 'no answer' : `P(yes) ${noul.toFixed(3)}`
  return `${question} ${text} in ${milliseconds} ms`
}
