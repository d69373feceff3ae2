import * as E from 'fp-ts/Either'
import { exitCode, exitOfKind } from '../failure/classify'
import { apiError } from '../failure/failure'
import { messageOf } from '../failure/message'
import { type Draft, Entries } from '../json/draft'
import { decodeRecord, type ErrorObject, isAnswered, type RunRecord } from '../run/decode'

/** The totals of a run's records. R10 */
export interface Summary {
  readonly records: number
  readonly answered: number
  readonly failed: number
  readonly errors: ReadonlyMap<string, number>
  readonly gate: { readonly passed: number; readonly failed: number }
  readonly models: ReadonlyMap<string, number>
  readonly usage: { readonly input: number; readonly output: number; readonly without: number }
  /** The first failed record. */
  readonly first: { readonly index: number; readonly error: ErrorObject } | undefined
}

/** Sums up records one by one. */
export const summing = () => {
  const count = { records: 0, answered: 0, failed: 0 }
  const errors = new Map<string, number>()
  const models = new Map<string, number>()
  const gate = { passed: 0, failed: 0 }
  const usage = { input: 0, output: 0, without: 0 }
  let first: Summary['first']
  const one = (counts: Map<string, number>, name: string): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const add = ({ index, outcome }: RunRecord): void => {
    count.records += 1
    if (!isAnswered(outcome)) {
      count.failed += 1
      one(errors, outcome.error.kind)
      first ??= { index, error: outcome.error }
      return
    }
    count.answered += 1
    one(models, outcome.model)
    if (outcome.gate !== undefined) gate[outcome.gate.passed ? 'passed' : 'failed'] += 1
    const { input, output } = outcome.usage
    usage.input += input ?? 0
    usage.output += output ?? 0
    if (input === null || output === null) usage.without += 1
  }
  return {
    add,
    /** Adds a record that the run has written. */
    addLine: (line: Buffer): void => {
      const record = decodeRecord(line, 0, 0)
      if (E.isRight(record)) add(record.right)
    },
    sum: (): Summary => ({ ...count, errors, gate, models, usage, first }),
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
}

/** The number of rows that have a record. */
export const rowsOf = ({ records }: Summary, repeat: number): number => Math.ceil(records / repeat)

/** Writes the summary document of a run. R10 */
export const summaryDraft = (
  summary: Summary,
  { repeat, attempts, complete, gated }: Course,
): Draft => {
  const { answered, failed, errors, gate, models, usage, first } = summary
  return {
    ...{ rows: rowsOf(summary, repeat), answered, failed },
    errors: new Entries([...errors]),
    gate: gated ? { passed: gate.passed, failed: gate.failed } : undefined,
    ...{ complete, attempts },
    models: new Entries([...models]),
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      rows_without_usage: usage.without,
    },
    first_error: first && { index: first.index, error: errorOf(first.error) },
  }
}

const errorOf = ({ kind, status, requestId, message }: ErrorObject): Draft => ({
  kind,
  status,
  request_id: requestId,
  message,
})

/**
 * The exit code of a run: that of the first failed row; else 8 where a requirement was not met, or where
 * `--pin` is given and another model answered; else 0. R11, R23
 */
export const exitOf = ({ first, gate }: Summary, unpinned: boolean): number => {
  if (first !== undefined) return exitOfKind(first.error.kind)
  return gate.failed > 0 || unpinned ? exitCode.flagged : exitCode.ok
}

/** Words the error of a record like a line on stderr, which names the call. spec: Error messages */
export const errorText = ({ status, message, requestId = '' }: ErrorObject): string =>
  status === undefined || message.startsWith('typesafe: ')
    ? message
    : messageOf(apiError({ operation: 'POST /v1/questions', status, message, requestId }))
