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

/** Finds the path for a document that was sent to the path of another dialect; `undefined` if its path is right. */
export const findRightPath = (dialect: ServedDialect, document: JsonValue): string | undefined => {
  if (dialect.matches(document)) return undefined
  return servedDialects.find((other) => other.matches(document))?.askPath
}
