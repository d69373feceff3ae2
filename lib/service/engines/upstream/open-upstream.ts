import * as E from 'fp-ts/Either'
import type { PassthroughEngine } from '../../contract/engine'
import { type OpenEngine, readEngineKey } from '../../contract/engine-settings'
import { resolveUpstream } from './destination'
import { createUpstreamEngine } from './engine'

/** Opens the engine that asks another service. Fails with a usage error if the settings or the key are invalid or missing. */
export const openUpstream: OpenEngine<PassthroughEngine> = (settings, environment) => async () => {
  const { runtime, userAgent } = environment
  const key = readEngineKey(runtime.env, settings)
  if (E.isLeft(key)) return key
  const destination = await resolveUpstream({ ...settings, key: key.right }, runtime.env)()
  if (E.isLeft(destination)) return destination
  const options = { ...destination.right, timeout: settings.timeout, userAgent }
  return E.right(createUpstreamEngine(options, environment))
}
