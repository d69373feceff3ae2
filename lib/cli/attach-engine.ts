import * as E from 'fp-ts/Either'
import type { ObservedClient } from '../client/call/client'
import { createClientHeaders } from '../client/call/encode-call'
import { describeChoice } from '../client/providers/check-address'
import type { EngineDestination } from '../client/providers/destination'
import { type Failure, nameProvider } from '../failure/failure'
import type { EngineNames, EngineSettings, SettingName } from '../service/contract/engine-settings'
import { openInProcess } from '../service/open-in-process'
import {
  type ClientContext,
  type EngineCallFlag,
  type EngineUse,
  formatUserAgent,
  localTimeoutNs,
} from './client'

/** The maximum number of concurrent calls to a model server for one request, as `--engine-concurrency` of `svc serve` has it. */
const concurrency = 8

/**
 * Opens an engine, and returns a client that asks it. The service of this process answers the client, so documents, limits and
 * failures are those of `svc serve`. The engine makes retries and limits the time, so the client does neither. Fails if the engine cannot
 * be opened.
 */
export const attachEngine = async (
  context: ClientContext,
  client: ObservedClient,
  engine: EngineDestination,
  { purpose, documentModel }: EngineUse,
): Promise<E.Either<Failure, ObservedClient>> => {
  const { runtime, tracer, build, atEnd } = context
  const userAgent = formatUserAgent(build)
  const settings = createSettings(context, client, engine, documentModel)
  const isPassed = (setting: SettingName): boolean => isSettingPassed(setting, context, engine)
  const names = createNames(context)
  const environment = { runtime, tracer, userAgent, names, purpose, log: client.log }
  const service = await openInProcess(engine.name, { settings, isPassed }, environment)()
  if (E.isLeft(service)) return E.left(nameProvider(service.left, engine.name))
  atEnd(service.right.close)
  return E.right({
    ...client,
    runtime: { ...runtime, fetch: service.right.fetch },
    // The key is for the server that the engine asks.
    headers: createClientHeaders({ ...client.destination, key: undefined }, userAgent),
    timeout: 0n,
    maxRetries: 0,
  })
}

const createSettings = (
  { globals, flags }: ClientContext,
  { destination }: ObservedClient,
  engine: EngineDestination,
  documentModel: string | undefined,
): EngineSettings => ({
  url: engine.address?.value,
  provider: undefined,
  dialect: undefined,
  // A model in the request document is the name of a model at a server.
  model: (engine.asksServer && documentModel) || engine.model?.value,
  apiKey: destination.key?.reveal(),
  timeout: globals.timeout ?? localTimeoutNs,
  maxRetries: globals['max-retries'],
  concurrency,
  permutations: flags['engine-permutations'],
  temperature: flags['engine-temperature'],
  context: flags['engine-context'],
  threads: flags['engine-threads'],
  body: flags['engine-body'],
  fixtures: undefined,
  strict: false,
})

/** The settings that have flags of their own. */
const engineFlags: Partial<Readonly<Record<SettingName, EngineCallFlag>>> = {
  permutations: 'engine-permutations',
  temperature: 'engine-temperature',
  context: 'engine-context',
  threads: 'engine-threads',
  body: 'engine-body',
}

/** Returns `true` if the user has set a setting. Time limit and retries apply to every call, also if the engine makes none. */
const isSettingPassed = (
  setting: SettingName,
  { isPassed, destinationSettings }: ClientContext,
  engine: EngineDestination,
): boolean => {
  const flag = engineFlags[setting]
  if (flag !== undefined) return isPassed(flag)
  if (setting === 'model') return engine.model !== undefined
  return setting === 'apiKey' && destinationSettings.key !== undefined
}

const createNames = ({ destinationSettings }: ClientContext): EngineNames => {
  const { address, model, key } = destinationSettings
  const globalNames: Partial<Readonly<Record<SettingName, string>>> = {
    url: address?.source ?? '--base-url',
    model: model?.source ?? '--model',
    apiKey: key?.source ?? '--api-key',
    timeout: '--timeout',
    maxRetries: '--max-retries',
  }
  return {
    choice: describeChoice(destinationSettings),
    nameOf: (setting) => globalNames[setting] ?? `--engine-${setting}`,
  }
}
