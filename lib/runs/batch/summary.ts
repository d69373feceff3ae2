import type { Draft } from '../../codec/json/draft'
import { apiError } from '../../failure/failure'
import { exitCodeOfKind, exitCodes, messageOf } from '../../failure/report'
import type { ErrorObject } from '../record/outcome'
import type { RecordedUsage } from '../record/record'
import type { AnsweredTally, RecordTally } from './batch-item'
import { canComputeCost, computeCost, roundCost, type TokenPrice } from './cost'

/** The totals of a run's records. */
export interface BatchSummary {
  readonly records: number
  readonly answered: number
  /** The number of answered records whose answers were taken from an earlier run. */
  readonly reused: number
  readonly failed: number
  /** The number of answered records with a refusal. */
  readonly refused: number
  /** The number of answered records with at least one answer that the policy sends to review by a person. */
  readonly review: number
  /** The number of failed records by the kind of their error. */
  readonly errors: ReadonlyMap<string, number>
  /** The numbers of answered records that met all requirements, and that did not. Both are 0 without requirements. */
  readonly gate: { readonly passed: number; readonly failed: number }
  /** For each question id, the number of answers that the policy accepts, and that it sends to review. */
  readonly outcomeCounts: ReadonlyMap<string, { readonly accept: number; readonly review: number }>
  /** The number of answered records by model. */
  readonly models: ReadonlyMap<string, number>
  /** The tokens of all answered records, and the number of those without a token count. */
  readonly usage: {
    readonly input: number
    readonly output: number
    readonly recordsWithout: number
  }
  /** The models whose answers were reused. */
  readonly reusedModels: ReadonlySet<string>
  /**
   * The cost of the answers that were not reused. With a price, it is computed from the tokens. It is then null if an answer has no
   * token count. Without a price, it is the sum of the costs in the answers. It is then `undefined` if an answer has no cost, or if
   * there is no answer.
   */
  readonly cost: number | null | undefined
  /** The first failed record. */
  readonly firstError: { readonly index: number; readonly error: ErrorObject } | undefined
}

/** Computes the totals of a run, record by record. */
export interface SummaryBuilder {
  /** Adds the tally of a record: the part that the totals count. */
  readonly add: (tally: RecordTally) => void
  /** Adds the tokens of a request whose answers are in no record. */
  readonly addLostUsage: (usage: RecordedUsage) => void
  /** Returns the totals of the records so far. */
  readonly sum: () => BatchSummary
}

export const createSummaryBuilder = (price?: TokenPrice): SummaryBuilder => {
  const totals = { records: 0, answered: 0, reused: 0, failed: 0, refused: 0, review: 0 }
  const errors = new Map<string, number>()
  const models = new Map<string, number>()
  const outcomeCounts = new Map<string, { accept: number; review: number }>()
  const gate = { passed: 0, failed: 0 }
  const usage = { input: 0, output: 0, recordsWithout: 0 }
  const reusedModels = new Set<string>()
  const costs = createCostSum(price)
  let firstError: BatchSummary['firstError']
  const addFailure = (index: number, error: ErrorObject): void => {
    totals.failed += 1
    increment(errors, error.kind)
    firstError ??= { index, error }
  }
  const addOutcomes = (outcomes: AnsweredTally['outcomes']): void => {
    for (const [id, outcome] of outcomes) {
      const counts = outcomeCounts.get(id) ?? { accept: 0, review: 0 }
      counts[outcome] += 1
      outcomeCounts.set(id, counts)
    }
    if (outcomes.some(([, outcome]) => outcome === 'review')) totals.review += 1
  }
  const addAnswers = (tally: AnsweredTally): void => {
    const { input, output } = tally.usage
    totals.answered += 1
    increment(models, tally.model)
    if (tally.isReused) {
      totals.reused += 1
      reusedModels.add(tally.model)
    } else {
      costs.add(tally.usage)
    }
    usage.input += input ?? 0
    usage.output += output ?? 0
    if (input === null || output === null) usage.recordsWithout += 1
    if (tally.isRefused) totals.refused += 1
    if (tally.passed !== undefined) gate[tally.passed ? 'passed' : 'failed'] += 1
    addOutcomes(tally.outcomes)
  }
  return {
    add: ({ index, outcome }) => {
      totals.records += 1
      if ('error' in outcome) addFailure(index, outcome.error)
      else addAnswers(outcome)
    },
    addLostUsage: (lost) => {
      usage.input += lost.input ?? 0
      usage.output += lost.output ?? 0
      costs.add(lost)
    },
    sum: () => ({
      ...totals,
      errors,
      gate,
      outcomeCounts,
      models,
      usage,
      reusedModels,
      firstError,
      cost: costs.sum(),
    }),
  }
}

const increment = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** Computes the cost of answers from the price; without a price, as the sum of the costs that the service returned. */
const createCostSum = (price: TokenPrice | undefined) => {
  let answerCount = 0
  let input = 0
  let output = 0
  let returnedCost = 0
  let areAllCostsKnown = true
  return {
    add: (usage: RecordedUsage): void => {
      answerCount += 1
      input += usage.input ?? 0
      output += usage.output ?? 0
      returnedCost += usage.cost ?? 0
      const isCostKnown =
        price === undefined ? usage.cost !== undefined : canComputeCost(price, usage)
      if (!isCostKnown) areAllCostsKnown = false
    },
    sum: (): BatchSummary['cost'] => {
      if (price !== undefined)
        return areAllCostsKnown ? computeCost(price, { input, output }) : null
      return areAllCostsKnown && answerCount > 0 ? roundCost(returnedCost) : undefined
    },
  }
}

/** The facts in a summary document that are not totals of the records. */
interface SummaryContext {
  /** The number of requests for each row. */
  readonly repeat: number
  readonly attempts: number
  /** `true` if every selected row has a record. */
  readonly complete: boolean
  /** `true` if the run has requirements. */
  readonly hasGate: boolean
  /** `true` with `--reuse`. The document then has `reused`, even if it is 0. */
  readonly reusesAnswers: boolean
  /** The reason why the run stopped early. Absent if it did not, and for any other reason. */
  readonly stopped?: StopReason | undefined
  /** The member `pack`; absent if each row was asked alone. */
  readonly pack?: Draft | undefined
}

/** The reason why a run stopped early, in its summary. */
export type StopReason = 'max_cost' | 'no_credit' | 'alike' | 'pack_differs'

/** Returns the number of rows with a record. Each row has `repeat` records, but the last row may lack some. */
export const countRecordedRows = ({ records }: BatchSummary, repeat: number): number =>
  Math.ceil(records / repeat)

/** Encodes the summary document of a run. */
export const encodeSummary = (summary: BatchSummary, context: SummaryContext): Draft => {
  const { reused, refused, gate, outcomeCounts, usage, firstError } = summary
  return {
    rows: countRecordedRows(summary, context.repeat),
    answered: summary.answered,
    reused: context.reusesAnswers || reused > 0 ? reused : undefined,
    failed: summary.failed,
    refused: refused === 0 ? undefined : refused,
    errors: new Map<string, Draft>([...summary.errors]),
    gate: context.hasGate ? { passed: gate.passed, failed: gate.failed } : undefined,
    policy: outcomeCounts.size === 0 ? undefined : new Map<string, Draft>([...outcomeCounts]),
    complete: context.complete,
    stopped: context.stopped,
    attempts: context.attempts,
    models: new Map<string, Draft>([...summary.models]),
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      rows_without_usage: usage.recordsWithout,
    },
    cost: summary.cost,
    pack: context.pack,
    first_error: firstError && {
      index: firstError.index,
      error: encodeErrorObject(firstError.error),
    },
  }
}

const encodeErrorObject = ({ kind, status, requestId, message }: ErrorObject): Draft => ({
  kind,
  status,
  request_id: requestId,
  message,
})

/**
 * Decides the exit code of a run. If a row failed, it is that of the first failed row. Otherwise it is 8 if a requirement was not met or
 * `isFlagged` is set (because of `--pin`, `--max-cost` or `--pack`), and else 0.
 */
export const decideExitCode = ({ firstError, gate }: BatchSummary, isFlagged: boolean): number => {
  if (firstError !== undefined) return exitCodeOfKind(firstError.error.kind)
  return gate.failed > 0 || isFlagged ? exitCodes.flagged : exitCodes.ok
}

/** The call that a batch makes for each row. */
export interface RowCall {
  /** The method and the path: `POST /v1/questions`. */
  readonly operation: string
  /** The name of the provider, if one is chosen. */
  readonly provider: string | undefined
}

/** Formats the error of a record as a message for stderr. If the service returned the error, the message names the call. */
export const describeRecordError = (
  { status, message, requestId = '' }: ErrorObject,
  { operation, provider = 'typesafe' }: RowCall,
): string => {
  // Some messages, such as `typesafe: GET /v1/models returned 503`, have the operation already.
  const namesOperation = message.startsWith(`${provider}: `)
  return status === undefined || namesOperation
    ? message
    : messageOf(apiError({ provider, operation, status, message, requestId }))
}
