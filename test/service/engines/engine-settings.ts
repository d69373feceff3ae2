import type { EngineNames, EngineSettings } from '../../../lib/service/contract/engine-settings'

/** The names of the flags of `svc serve --engine chat`, except that `maxRetries` would be `max-retries`. */
export const createServeNames = (engine: string): EngineNames => ({
  choice: `--engine ${engine}`,
  nameOf: (setting) => `--engine-${setting}`,
})

/** The settings of an engine, all of them at their defaults. */
export const defaultSettings: EngineSettings = {
  url: undefined,
  provider: undefined,
  dialect: undefined,
  model: undefined,
  apiKey: undefined,
  // 30 seconds.
  timeout: 30_000_000_000n,
  maxRetries: 2,
  concurrency: 8,
  permutations: 1,
  temperature: 1,
  context: 4096,
  threads: 0,
  body: undefined,
  fixtures: undefined,
  strict: false,
}
