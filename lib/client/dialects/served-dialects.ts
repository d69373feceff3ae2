import type { JsonValue } from '../../codec/json/json'
import { servedDecisions } from './served-decisions'
import type { ServedDialect } from './served-dialect'
import { servedQuestions, servedSystemone } from './served-questions'

/** The dialects of `svc serve`. The first is the default. */
export const servedDialects: readonly [ServedDialect, ...ServedDialect[]] = [
  servedQuestions,
  servedSystemone,
  servedDecisions,
]

/** Returns the route that a document belongs to. Returns `undefined` if it belongs to the route of `dialect`, or to no route. */
export const findOtherRoute = (dialect: ServedDialect, document: JsonValue): string | undefined => {
  if (dialect.matches(document)) return undefined
  return servedDialects.find((other) => other.matches(document))?.askPath
}
