import type { ServedDialect } from './served'
import { servedDecisions } from './served-decisions'
import { servedQuestions, servedSystemone } from './served-questions'

/** The dialects that `svc serve` speaks, the specification's first. P12 */
export const servedDialects: readonly [ServedDialect, ...ServedDialect[]] = [
  servedQuestions,
  servedSystemone,
  servedDecisions,
]
