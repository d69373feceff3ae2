import type { Draft } from '../../codec/json/draft'
import { exitCode, exitOfKind } from '../../failure/classify'
import { apiError } from '../../failure/failure'
import { messageOf } from '../../failure/message'
import type { ErrorObject, RecordedUsage } from '../record/outcome'
import { costOf, hasCost, type Price, tidyCost } from './cost'
import type { Tally } from './tally'

/** The totals of a run's records. */
export interface Summary {
  readonly records: number
  readonly answered: number
  /** Answered records whose answers were taken from an earlier run. */
  readonly reused: number
  readonly failed: number
  /** Answered records with a refusal. */
  readonly refused: number
  /** Answered records of which the policy sends an answer to review. */
  readonly review: number
  readonly errors: ReadonlyMap<string, number>
  readonly gate: { readonly passed: number; readonly failed: number }
  /** How many answers the policy accepts and sends to review, by question id. */
  readonly policy: ReadonlyMap<string, { readonly accept: number; readonly review: number }>
  readonly models: ReadonlyMap<string, number>
  readonly usage: { readonly input: number; readonly output: number; readonly without: number }
  /** Who gave the answers that were reused. */
  readonly reusedModels: ReadonlySet<string>
  /**
   * The cost of the answers that were not reused. With a price it is null if an answer has no token counts. Without a price it
   * is the sum of the costs that the service named, and `undefined` unless every answer has one.
   */
  readonly cost: number | null | undefined
  /** The first failed record. */
  readonly first: { readonly index: number; readonly error: ErrorObject } | undefined
}

/** SummaryBuilder up the records of a run. */
export type SummaryBuilder = ReturnType<typeof createSummaryBuilder>

/** Creates the sums of a run that has no records yet. */
export const createSummaryBuilder = (price?: Price) => {
  const count = { records: 0, answered: 0, reused: 0, failed: 0, refused: 0, review: 0 }
  const errors = new Map<string, number>()
  const models = new Map<string, number>()
  const policy = new Map<string, { accept: number; review: number }>()
  const gate = { passed: 0, failed: 0 }
  const usage = { input: 0, output: 0, without: 0 }
  const reusedModels = new Set<string>()
  const paid = { answers: 0, input: 0, output: 0, isKnown: true, named: 0 }
  let first: Summary['first']
  const countOne = (counts: Map<string, number>, name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const addCost = (used: RecordedUsage): void => {
    paid.answers += 1
    paid.input += used.input ?? 0
    paid.output += used.output ?? 0
    paid.named += used.cost ?? 0
    if (price === undefined ? used.cost === undefined : !hasCost(price, used)) paid.isKnown = false
  }
  const sumCost = (): number | null | undefined => {
    if (price !== undefined) return paid.isKnown ? costOf(price, paid) : null
    return paid.isKnown && paid.answers > 0 ? tidyCost(paid.named) : undefined
  }
  return {
    add: ({ index, outcome }: Tally): void => {
      count.records += 1
      if ('error' in outcome) {
        count.failed += 1
        countOne(errors, outcome.error.kind)
        first ??= { index, error: outcome.error }
        return
      }
      count.answered += 1
      if (outcome.isReused) {
        count.reused += 1
        reusedModels.add(outcome.model)
      } else {
        addCost(outcome.usage)
      }
      if (outcome.isRefused) count.refused += 1
      countOne(models, outcome.model)
      if (outcome.passed !== undefined) gate[outcome.passed ? 'passed' : 'failed'] += 1
      if (outcome.outcomes.some(([, said]) => said === 'review')) count.review += 1
      for (const [id, said] of outcome.outcomes) {
        const counts = policy.get(id) ?? { accept: 0, review: 0 }
        counts[said] += 1
        policy.set(id, counts)
      }
      const { input, output } = outcome.usage
      usage.input += input ?? 0
      usage.output += output ?? 0
      if (input === null || output === null) usage.without += 1
    },
    sum: (): Summary => ({
      ...count,
      errors,
      gate,
      policy,
      models,
      usage,
      reusedModels,
      first,
      cost: sumCost(),
    }),
  }
}

/** What the summary says besides the totals of the records. */
interface Course {
  /** How often each row is asked. */
  readonly repeat: number
  readonly attempts: number
  /** Whether every selected row has a record. */
  readonly complete: boolean
  readonly gated: boolean
  /** Whether `--reuse` was given. */
  readonly reuses: boolean
  /** What stopped the run, where that was no failure. */
  readonly stopped?: 'max_cost' | 'no_credit' | 'alike' | undefined
}

/** The number of rows that have a record. */
export const countRecordedRows = ({ records }: Summary, repeat: number): number =>
  Math.ceil(records / repeat)

/** Writes the summary document of a run. */
export const encodeSummary = (
  summary: Summary,
  { repeat, attempts, complete, gated, reuses, stopped }: Course,
): Draft => {
  const { answered, reused, failed, refused, errors, gate, policy, models, usage } = summary
  const { cost, first } = summary
  return {
    ...{ rows: countRecordedRows(summary, repeat), answered },
    reused: reuses || reused > 0 ? reused : undefined,
    failed,
    refused: refused === 0 ? undefined : refused,
    errors: new Map<string, Draft>([...errors]),
    gate: gated ? { passed: gate.passed, failed: gate.failed } : undefined,
    policy: policy.size === 0 ? undefined : new Map<string, Draft>([...policy]),
    ...{ complete, stopped, attempts },
    models: new Map<string, Draft>([...models]),
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      rows_without_usage: usage.without,
    },
    cost,
    first_error: first && { index: first.index, error: errorDraft(first.error) },
  }
}

const errorDraft = ({ kind, status, requestId, message }: ErrorObject): Draft => ({
  kind,
  status,
  request_id: requestId,
  message,
})

/**
 * The exit code of a run: that of the first failed row; else 8 where a requirement was not met, or where something
 * else flags the run (`--pin`, `--max-cost`); else 0.
 */
export const exitOf = ({ first, gate }: Summary, isFlagged: boolean): number => {
  if (first !== undefined) return exitOfKind(first.error.kind)
  return gate.failed > 0 || isFlagged ? exitCode.flagged : exitCode.ok
}

/** Words the error of a record like a line on stderr, which names the call. */
export const describeError = (
  { status, message, requestId = '' }: ErrorObject,
  operation: string,
): string =>
  status === undefined || message.startsWith('typesafe: ')
    ? message
    : messageOf(apiError({ operation, status, message, requestId }))
