import type { ModelEntry } from './engine'

/** The name by which clients ask for the engine's first model. spec: Versioning, 2 */
const latestModel = 'svc-latest'

/** The same for clients of the `/v1/systemone` dialect, which send it when no model is configured. D42 */
const dialectModel = 'jev-latest'

/** Whether a name stands for whatever model the engine has, on either route. D73 */
export const isAlias = (model: string): boolean => model === latestModel || model === dialectModel

/** The entries of `GET /v1/models`: the engine's own models after the name for the first of them. D2 */
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
 * The engine's model of the requested name; its first model where no name is given, `undefined` where it has
 * no such model.
 */
export const resolveModel = (
  own: ReadonlyArray<ModelEntry>,
  requested: string | undefined,
): string | undefined =>
  requested === undefined || isAlias(requested)
    ? own[0]?.name
    : own.find((model) => model.name === requested)?.name
