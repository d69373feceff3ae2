import type { Dialect } from '../../lib/dialect/dialect'
import { questions } from '../../lib/dialect/questions'
import { appendPaths } from '../../lib/provider/endpoints'
import type { Place } from '../../lib/provider/place'
import { Secret } from '../../lib/text/secret'

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
  ...changes,
})
