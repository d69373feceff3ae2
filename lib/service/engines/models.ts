import type { ModelEntry } from './engine'

/** The name that stands for the engine's first model. spec: Versioning, 2 */
export const latestModel = 'svc-latest'

/** What clients of the `/v1/systemone` dialect send when no model is configured. D42 */
const dialectModel = 'jev-latest'

/** The entries of `GET /v1/models`. D2 */
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

/** The engine's model for a requested name, or `undefined` when there is none. No name means the latest. */
export const resolveModel = (
  own: ReadonlyArray<ModelEntry>,
  requested: string | undefined,
  dialect: 'questions' | 'systemone',
): string | undefined => {
  const latest =
    requested === undefined ||
    requested === latestModel ||
    (dialect === 'systemone' && requested === dialectModel)
  if (latest) return own[0]?.name
  return own.find((model) => model.name === requested)?.name
}
