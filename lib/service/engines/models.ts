import type { ModelEntry } from './engine'

/** The model name by which clients ask for the engine's first model. spec: Versioning, 2 */
const latestModel = 'svc-latest'

/** The same for clients of the `/v1/systemone` dialect, which send this name when none is configured. D42 */
const dialectModel = 'jev-latest'

/** Whether a model name is an alias for the engine's first model; both aliases work on both routes. D73 */
export const isAlias = (model: string): boolean => model === latestModel || model === dialectModel

/** Lists the entries of `GET /v1/models`: first the alias `svc-latest`, then the engine's own models. D2 */
export const modelList = (own: ReadonlyArray<ModelEntry>): ReadonlyArray<ModelEntry> => {
  const [first] = own
  if (first === undefined) return []
  const latest: ModelEntry = {
    name: latestModel,
    description: `The model this service answers with: \`${first.name}\``,
    release_date: first.release_date,
  }
  return [latest, ...own]
}

/**
 * Finds the name of the model that a request asks for. An alias, or no name, means the engine's first model.
 * `undefined` where the engine has no such model.
 */
export const resolveModel = (
  own: ReadonlyArray<ModelEntry>,
  requested: string | undefined,
): string | undefined =>
  requested === undefined || isAlias(requested)
    ? own[0]?.name
    : own.find((model) => model.name === requested)?.name
