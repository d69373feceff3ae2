import type { Dialect } from '../../lib/client/dialects/dialect'
import { questions } from '../../lib/client/dialects/questions'
import { appendPaths } from '../../lib/client/providers/endpoints'
import type { Place } from '../../lib/client/providers/place'
import { Secret } from '../../lib/failure/text/secret'

/** A place at this address with the key `sk-secret`, by default one that speaks `questions`. */
export const placeAt = (
  baseUrl: string,
  changes: Partial<Place> = {},
  dialect: Dialect = questions,
): Place => ({
  service: dialect.name,
  dialect,
  ...appendPaths(baseUrl, dialect),
  key: new Secret('sk-secret'),
  keyHeader: dialect.keyHeader,
  requestIdHeader: dialect.requestIdHeader,
  model: 'svc-latest',
  modelHint: 'pass --model',
  takesImages: true,
  needsImagesHeader: false,
  ...changes,
})
