import type { ModelEntry } from './engine'

/** The model name by which clients ask for the engine's model. spec: Versioning, 2 */
const latestModel = 'svc-latest'

/** The same for clients of the `/v1/systemone` dialect, which send this name when none is configured. D42 */
const dialectModel = 'jev-latest'

/** Whether a model name is an alias for the engine's model; both aliases work on both routes. D73 */
export const isAlias = (model: string): boolean => model === latestModel || model === dialectModel

/** Lists the entries of `GET /v1/models`: first the alias `svc-latest`, then the engine's model. D2 */
export const modelList = (own: ModelEntry): ReadonlyArray<ModelEntry> => [
  {
    name: latestModel,
    description: `The model this service answers with: \`${own.name}\``,
    release_date: own.release_date,
  },
  own,
]
