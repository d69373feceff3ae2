import type { JsonValue } from '../../codec/json/json'
import type { ServedDialect } from './served'
import { servedDecisions } from './served-decisions'
import { servedQuestions, servedSystemone } from './served-questions'

/** The dialects that `svc serve` speaks, the specification's first. */
export const servedDialects: readonly [ServedDialect, ...ServedDialect[]] = [
  servedQuestions,
  servedSystemone,
  servedDecisions,
]

/** The path where a document belongs that another dialect than this one writes; `undefined` for all others. */
export const findRightPath = (dialect: ServedDialect, document: JsonValue): string | undefined =>
  dialect.matches(document)
    ? undefined
    : servedDialects.find(({ matches: looksRight }) => looksRight(document))?.askPath
