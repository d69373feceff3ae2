import type { Dialect } from '../../lib/client/dialects/dialect'
import { questionsDialect } from '../../lib/client/dialects/questions'
import { dialectForm } from '../../lib/client/dialects/service-form'
import type { Destination } from '../../lib/client/providers/destination'
import { appendWholePaths } from '../../lib/client/providers/endpoints'
import { Secret } from '../../lib/text/secret'

/** Creates a destination at this address with the key `sk-secret`. */
export const createDestination = (
  baseUrl: string,
  changes: Partial<Destination> = {},
  dialect: Dialect = questionsDialect,
): Destination => ({
  service: dialect.name,
  dialect,
  ...appendWholePaths(baseUrl, dialect),
  networkUrl: baseUrl,
  key: new Secret('sk-secret'),
  keyHeader: dialect.keyHeader,
  requestIdHeader: dialect.requestIdHeader,
  model: 'svc-latest',
  modelHint: 'pass --model',
  form: dialectForm,
  hasModelList: true,
  needsImagesHeader: false,
  ...changes,
})
