import type { Draft } from '../../codec/json/draft'
import { exitCodes, exitOfKind } from '../../failure/classify'
import { apiError } from '../../failure/failure'
import { messageOf } from '../../failure/format-failure'
import type { ErrorObject, RecordedUsage } from '../record/outcome'
import { computeCost, hasCost, type Price, tidyCost } from './cost'
import type { AnsweredTally, RecordTally } from './encode-record'

/** The totals of a run's records. */
export interface BatchSummary {
  readonly records: number
  readonly answered: number
  /** Answered records whose answers were taken from an earlier run. */
  readonly reused: number
  readonly failed: number
  /** Answered records with a refusal. */
  readonly refused: number
  /** Answered records of which the policy sends an answer to review. */
  readonly review: number
  /** Failed records by the kind of their error. */
  readonly errors: ReadonlyMap<string, number>
  readonly gate: { readonly passed: number; readonly failed: number }
  /** The answers that the policy accepts and sends to review, by question id. */
  readonly policy: ReadonlyMap<string, { readonly accept: number; readonly review: number }>
  /** Answered records by the model that answered. */
  readonly models: ReadonlyMap<string, number>
  /** Tokens, and the answered records that lack a token count. */
  readonly usage: { readonly input: number; readonly output: number; readonly without: number }
  /** The models whose answers were reused. */
  readonly reusedModels: ReadonlySet<string>
  /**
   * The cost of the answers that were not reused. With a price it is null if an answer has no token counts. Without a price it
   * is the sum of the costs that the service named, and `undefined` unless every answer has one.
   */
  readonly cost: number | null | undefined
  /** The first failed record. */
  readonly first: { readonly index: number; readonly error: ErrorObject } | undefined
}

/** Adds up the records of a run. */
export interface SummaryBuilder {
  readonly add: (tally: RecordTally) => void
  readonly sum: () => BatchSummary
}

/** Creates the summary of a run that has no records yet. */
export const createSummaryBuilder = (price?: Price): SummaryBuilder => {
  const totals = { records: 0, answered: 0, reused: 0, failed: 0, refused: 0, review: 0 }
  const errors = new Map<string, number>()
  const models = new Map<string, number>()
  const policy = new Map<string, { accept: number; review: number }>()
  const gate = { passed: 0, failed: 0 }
  const usage = { input: 0, output: 0, without: 0 }
  const reusedModels = new Set<string>()
  const cost = createCostSum(price)
  let first: BatchSummary['first']
  const addFailure = (index: number, error: ErrorObject): void => {
    totals.failed += 1
    increment(errors, error.kind)
    first ??= { index, error }
  }
  const addOutcomes = (outcomes: AnsweredTally['outcomes']): void => {
    for (const [id, outcome] of outcomes) {
      const counts = policy.get(id) ?? { accept: 0, review: 0 }
      counts[outcome] += 1
      policy.set(id, counts)
    }
    if (outcomes.some(([, outcome]) => outcome === 'review')) totals.review += 1
  }
  const addTokens = ({ input, output }: RecordedUsage): void => {
    usage.input += input ?? 0
    usage.output += output ?? 0
    if (input === null || output === null) usage.without += 1
  }
  const addAnswers = (answered: AnsweredTally): void => {
    totals.answered += 1
    increment(models, answered.model)
    if (answered.isReused) {
      totals.reused += 1
      reusedModels.add(answered.model)
    } else {
      cost.add(answered.usage)
    }
    if (answered.isRefused) totals.refused += 1
    if (answered.passed !== undefined) gate[answered.passed ? 'passed' : 'failed'] += 1
    addOutcomes(answered.outcomes)
    addTokens(answered.usage)
  }
  return {
    add: ({ index, outcome }) => {
      totals.records += 1
      if ('error' in outcome) addFailure(index, outcome.error)
      else addAnswers(outcome)
    },
    sum: () => ({
      ...totals,
      errors,
      gate,
      policy,
      models,
      usage,
      reusedModels,
      first,
      cost: cost.sum(),
    }),
  }
}

const increment = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** Adds up the cost of answers, by the price or by the costs that the service named. */
const createCostSum = (price: Price | undefined) => {
  let answers = 0
  let input = 0
  let output = 0
  let namedCost = 0
  let isKnown = true
  return {
    add: (usage: RecordedUsage): void => {
      answers += 1
      input += usage.input ?? 0
      output += usage.output ?? 0
      namedCost += usage.cost ?? 0
      const hasOwnCost = price === undefined ? usage.cost !== undefined : hasCost(price, usage)
      if (!hasOwnCost) isKnown = false
    },
    sum: (): BatchSummary['cost'] => {
      if (price !== undefined) return isKnown ? computeCost(price, { input, output }) : null
      return isKnown && answers > 0 ? tidyCost(namedCost) : undefined
    },
  }
}

/** The members of the summary document besides the totals of the records. */
interface SummaryContext {
  /** The number of times that each row is asked. */
  readonly repeat: number
  readonly attempts: number
  /** `true` if every selected row has a record. */
  readonly complete: boolean
  /** `true` if the run has requirements. */
  readonly gated: boolean
  /** `true` with `--reuse`; the summary then has `reused` even if it is 0. */
  readonly reuses: boolean
  /** The reason why the run stopped, unless it was a failure. */
  readonly stopped?: 'max_cost' | 'no_credit' | 'alike' | undefined
}

/** Returns the number of rows that have a record. */
export const countRecordedRows = ({ records }: BatchSummary, repeat: number): number =>
  Math.ceil(records / repeat)

/** Encodes the summary document of a run. */
export const encodeSummary = (summary: BatchSummary, context: SummaryContext): Draft => {
  const { reused, refused, gate, policy, usage, first } = summary
  return {
    rows: countRecordedRows(summary, context.repeat),
    answered: summary.answered,
    reused: context.reuses || reused > 0 ? reused : undefined,
    failed: summary.failed,
    refused: refused === 0 ? undefined : refused,
    errors: new Map<string, Draft>([...summary.errors]),
    gate: context.gated ? { passed: gate.passed, failed: gate.failed } : undefined,
    policy: policy.size === 0 ? undefined : new Map<string, Draft>([...policy]),
    complete: context.complete,
    stopped: context.stopped,
    attempts: context.attempts,
    models: new Map<string, Draft>([...summary.models]),
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      rows_without_usage: usage.without,
    },
    cost: summary.cost,
    first_error: first && { index: first.index, error: encodeErrorObject(first.error) },
  }
}

const encodeErrorObject = ({ kind, status, requestId, message }: ErrorObject): Draft => ({
  kind,
  status,
  request_id: requestId,
  message,
})

/**
 * Returns the exit code of a run: that of the first failed row; else 8 if a requirement was not met, or if something
 * else flags the run (`--pin`, `--max-cost`); else 0.
 */
export const decideExit = ({ first, gate }: BatchSummary, isFlagged: boolean): number => {
  if (first !== undefined) return exitOfKind(first.error.kind)
  return gate.failed > 0 || isFlagged ? exitCodes.flagged : exitCodes.ok
}

/** Describes the error of a record like a line on stderr, which names the call. */
export const describeRecordError = (
  { status, message, requestId = '' }: ErrorObject,
  operation: string,
): string =>
  status === undefined || message.startsWith('typesafe: ')
    ? message
    : messageOf(apiError({ operation, status, message, requestId }))
