import * as E from 'fp-ts/Either'
import type { ServiceClient } from '../client/call/client'
import { encode } from '../codec/json/draft'
import { memberIn, membersIn } from '../codec/json/json'
import { parseText } from '../codec/json/parse'
import type { Template } from '../codec/request'
import { usage } from '../failure/failure'
import type { BatchEnd } from '../runs/batch/batch-end'
import { createItems, type EncodedRecord } from '../runs/batch/batch-item'
import { runBatchLoop } from '../runs/batch/batch-loop'
import type { BatchStep } from '../runs/batch/batch-setup'
import { createPacedSetup } from '../runs/batch/pace'
import type { Packing } from '../runs/batch/pack/packing'
import { type BatchPlan, createBatchPlan } from '../runs/batch/plan'
import { createReuse, formatRecordKey, type Reuse } from '../runs/batch/reuse'
import { parseRequirements } from '../runs/gate/requirements'
import { isPolicyFor } from '../runs/policy/policy'
import { digestQuestions } from '../runs/record/record'
import { type LabelField, type Row, readLabels } from '../runs/rows/row'
import { type AnswersTo, completeAnswers, type Usage } from './answers'
import { type Outcome, type Policy, parsePolicy, type Requirement, type Verdict } from './judge'
import { createPackError, type PackOptions, preparePacks } from './packs'
import { parseQuestions, type Questions } from './questions'
import { decodeRecords, type Records } from './records'
import { createResultQueue } from './result-queue'
import { createError, orThrow } from './results'
import {
  type CallOptions,
  callOptionNames,
  checkOptionNames,
  joinSignals,
  parseCallLimits,
} from './settings'
import { encodeValue, parseWithJsonText } from './values'

/** A row to ask about. */
export interface BatchRow<Q extends Questions = Questions> {
  /** Any JSON value. */
  readonly state: unknown
  /** A batch takes no images. Ask about each image with `ask`. */
  readonly images?: never
  /** Names the row in its record; any JSON value. */
  readonly id?: unknown
  /** The group that the row belongs to, such as a customer; any JSON value. */
  readonly group?: unknown
  /** The correct answers: true or false, a label, or the number of a level. They are not sent. */
  readonly labels?: { readonly [Id in keyof Q]?: boolean | string | number | null }
}

/** Rows to ask about, in order. */
export type Rows<Q extends Questions = Questions> =
  | Iterable<BatchRow<Q>>
  | AsyncIterable<BatchRow<Q>>

/** The options of a batch. */
export interface BatchOptions extends CallOptions, PackOptions {
  /** The maximum number of rows in flight, 1 to 256; 8 by default. */
  readonly concurrency?: number
  /** The maximum number of requests per minute, retries included. */
  readonly rpm?: number
  /** The number of times that each row is asked, 1 to 1,000; 1 by default. */
  readonly repeat?: number
  /** The number of label orders in which each choice is asked, 1 to 720. The answer is the mean over these orders. */
  readonly permute?: number
  /** Stops after the first row that fails. */
  readonly failFast?: boolean
  /** Adds the state to the record. */
  readonly withState?: boolean
  /** Judges each row. The verdict is the record's `gate`. */
  readonly requirement?: Requirement
  /** Decides about each row. The outcomes are the record's `policy`. */
  readonly policy?: Policy
  /** Records of an earlier run. Rows that they answer are not asked again. */
  readonly reuse?: Records
}

/** The option names of a batch. The compiler refuses a missing name. */
const batchOptionNames: Readonly<Record<keyof BatchOptions, true>> = {
  ...callOptionNames,
  concurrency: true,
  rpm: true,
  repeat: true,
  permute: true,
  pack: true,
  packCheck: true,
  maxFlips: true,
  failFast: true,
  withState: true,
  requirement: true,
  policy: true,
  reuse: true,
}

/** The members that records have, whether or not the row was answered. */
interface RecordHead {
  /** The position of the row, from 0. */
  readonly index: number
  /** The number of the repetition, from 0. */
  readonly run?: number
  readonly id?: unknown
  readonly group?: unknown
  readonly labels?: Readonly<Record<string, boolean | string | number>>
  readonly state?: unknown
  readonly state_sha256?: string
  readonly questions_sha256: string
  /** The line that `svc batch` writes, without its newline. `JSON.stringify` leaves this out. */
  readonly json: string
}

/** The record of a row that was answered. */
export interface AnsweredRecord<Q extends Questions> extends RecordHead {
  readonly model: string
  readonly answers: AnswersTo<Q>
  readonly usage: Usage
  readonly request_id?: string
  /** The number of rows of the request, and the position of this row in it, from 0. Absent if the row was asked alone. */
  readonly pack?: { readonly rows: number; readonly position: number }
  /** `true` if the answers are those of an earlier run. */
  readonly reused?: true
  /** The verdict by `requirement`. `unevaluable` is absent if every expression could be judged. */
  readonly gate?: Pick<Verdict, 'passed' | 'failed'> & Partial<Verdict>
  /** The outcomes by `policy`, by question id. */
  readonly policy?: Readonly<Record<string, Outcome>>
  readonly error?: undefined
}

/** The record of a row that failed. */
export interface FailedRecord extends RecordHead {
  readonly error: {
    readonly kind: string
    readonly status?: number
    readonly request_id?: string
    readonly message: string
  }
  readonly answers?: undefined
}

/** A record of a run, as a line of the file of `svc batch`. */
export type RecordOf<Q extends Questions = Questions> = AnsweredRecord<Q> | FailedRecord

/** Asks about rows and yields their records. */
export async function* askRows<Q extends Questions>(
  serviceClient: ServiceClient,
  rows: Rows<Q>,
  questions: Q,
  options: BatchOptions,
): AsyncGenerator<RecordOf<Q>, void, undefined> {
  const { plan, limits, pace, packing } = orThrow(prepareBatch(serviceClient, questions, options))
  const reuse = options.reuse && (await indexRecords(options.reuse, plan))
  const signal = joinSignals(serviceClient.signal, options.signal)
  const batchClient = { ...serviceClient, ...limits, signal }
  const setup = { ...createPacedSetup(plan, batchClient, pace), reuse, packing }
  const source = getIterator(rows)
  const queue = createResultQueue<EncodedRecord>()
  const steps = createSteps(source, plan, options.repeat)
  // The batch runs while the caller takes records from the queue.
  const batchEnd = runBatchLoop(steps, setup, queue.push).finally(queue.close)
  // If the caller leaves the loop early, an error must not become an unhandled rejection.
  batchEnd.catch(() => undefined)
  try {
    for await (const { line } of queue.results()) yield parseRecord(line, questions)
    throwIfEndedEarly(await batchEnd, signal, packing)
  } finally {
    queue.close()
    // Aborts the requests that are still in flight if the caller leaves the loop early.
    setup.callController.abort()
    // `return` of a source that waits for its next row may never resolve, so it is not awaited.
    Promise.resolve(source.return?.()).catch(() => undefined)
  }
}

const getIterator = <A>(rows: Iterable<A> | AsyncIterable<A>): Iterator<A> | AsyncIterator<A> =>
  Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()

/** Throws the reason of the signal, or the error of the failure, if one of them ended the run. */
const throwIfEndedEarly = (
  end: BatchEnd,
  signal: AbortSignal,
  packing: Packing | undefined,
): void => {
  if (end.kind === 'interrupted') throw signal.reason
  if (end.kind === 'refused') throw createError(end.failure, { attempts: 0 })
  if (end.kind === 'stopped' && end.by === 'pack_differs' && packing !== undefined)
    throw createPackError(packing)
  // svc does not retry failures that end a run.
  if ('failure' in end) throw createError(end.failure, { attempts: 1 })
}

/** Checks the arguments of a batch and prepares its run. Fails with a usage or validation error. */
const prepareBatch = (
  serviceClient: ServiceClient,
  questions: Questions,
  options: BatchOptions,
) => {
  const knownOptions = checkOptionNames(options, batchOptionNames)
  if (E.isLeft(knownOptions)) return knownOptions
  const template = parseQuestions(questions)
  if (E.isLeft(template)) return template
  const limits = parseCallLimits(options, serviceClient)
  if (E.isLeft(limits)) return limits
  const pace = parsePace(options)
  if (E.isLeft(pace)) return pace
  const policies = parsePolicyFor(options.policy, template.right)
  if (E.isLeft(policies)) return policies
  const expressions = options.requirement?.expressions ?? []
  const requirements = parseRequirements(expressions, 'require')
  if (E.isLeft(requirements)) return requirements
  const plan = createBatchPlan({
    template: template.right,
    requirements: requirements.right,
    // The name of a requirement in messages.
    requirementName: 'require',
    policies: policies.right,
    orders: options.permute,
    model: options.model,
    withState: options.withState ?? false,
  })
  if (E.isLeft(plan)) return plan
  const packing = preparePacks(options, plan.right, serviceClient.destination)
  if (E.isLeft(packing)) return packing
  return E.right({
    limits: limits.right,
    pace: pace.right,
    plan: plan.right,
    packing: packing.right,
  })
}

/** Parses a policy. Fails if it is invalid, or was made for other questions. */
const parsePolicyFor = (policy: Policy | undefined, { questions }: Template) => {
  if (policy === undefined) return E.right(undefined)
  const parsed = parsePolicy(policy)
  if (E.isLeft(parsed)) return parsed
  return isPolicyFor({ policies: parsed.right }, digestQuestions(questions))
    ? parsed
    : E.left(usage('the policy is for other questions', 'policy'))
}

/** Parses the options that determine the pace, and checks the other counts. Fails with a usage error. */
const parsePace = (options: BatchOptions) => {
  const { concurrency = 8, rpm, repeat, permute, pack, packCheck, failFast = false } = options
  const countOptions = [
    { name: 'concurrency', count: concurrency, min: 1, max: 256 },
    { name: 'rpm', count: rpm, min: 1, max: 1e6 },
    { name: 'repeat', count: repeat, min: 1, max: 1000 },
    { name: 'permute', count: permute, min: 1, max: 720 },
    { name: 'pack', count: pack, min: 2, max: 400 },
    { name: 'packCheck', count: packCheck, min: 0, max: 1e6 },
  ]
  for (const { name, count, min, max } of countOptions) {
    if (count === undefined) continue
    const isValid = Number.isInteger(count) && count >= min && count <= max
    if (!isValid)
      return E.left(usage(`${name} must be a whole number from ${min} to ${max}, got ${count}`))
  }
  return E.right({ concurrency, rpm, failFast })
}

/**
 * Yields the steps of a run. Each step asks about one item, which is a row or one of its repetitions. A row is read only when the
 * run asks for the next step.
 */
async function* createSteps(
  source: Iterator<BatchRow> | AsyncIterator<BatchRow>,
  plan: BatchPlan,
  repeat: number | undefined,
): AsyncGenerator<BatchStep, void, undefined> {
  // The label of a question is a member of `labels` whose name is the question's id.
  const fields = plan.template.questions.map(
    ([id, question]): LabelField => ({ questionId: id, question, field: id }),
  )
  for (let index = 0; ; index += 1) {
    const next = await source.next()
    if (next.done) return
    for (const item of createItems(parseRow(next.value, index, fields), repeat))
      yield E.right({ item })
  }
}

/** Parses a row. An invalid row gets a `fault`, which becomes the error of its record. */
const parseRow = (row: BatchRow, index: number, fields: ReadonlyArray<LabelField>): Row => {
  const json = encodeValue(row)
  const state = memberIn(json, 'state')
  const id = memberIn(json, 'id')
  const group = memberIn(json, 'group')
  const labelMembers = memberIn(json, 'labels')
  const labels = readLabels(fields, (name) => memberIn(labelMembers, name))
  const stateFault = state === undefined ? 'the state is not a JSON value' : undefined
  const imageFault =
    memberIn(json, 'images') === undefined ? undefined : 'a batch takes no images: use ask'
  const fault = E.isLeft(labels) ? labels.left : (stateFault ?? imageFault)
  const hasLabels = E.isRight(labels) && labels.right.length > 0
  return {
    index,
    line: index + 1,
    state,
    id,
    group,
    labels: hasLabels ? labels.right : undefined,
    fault,
  }
}

/** Parses a line of `svc batch` as a record, and adds to its answers what `ask` adds. */
const parseRecord = <Q extends Questions>(line: Buffer, questions: Q): RecordOf<Q> => {
  const lineWithoutNewline = line.toString('utf8', 0, line.length - 1)
  const record = parseWithJsonText<RecordOf<Q>>(lineWithoutNewline)
  // `JSON.parse` has rounded the numbers, but `json` must have their text.
  const document = parseText(lineWithoutNewline)
  if (record.answers !== undefined && E.isRight(document))
    completeAnswers(questions, record.answers, membersIn(memberIn(document.right, 'answers')))
  return Object.freeze(record)
}

/**
 * Indexes the records of an earlier run by state and repetition. If two records have the same key, the first is reused. Throws a
 * usage error if a record is invalid.
 */
const indexRecords = async (records: Records, plan: BatchPlan): Promise<Reuse> => {
  const recordsByKey = new Map<string, Uint8Array>()
  for await (const record of decodeRecords(records, 'reuse')) {
    // A record without answers to these questions has no key.
    const key = formatRecordKey(record, plan)
    if (key !== undefined && !recordsByKey.has(key)) recordsByKey.set(key, encode(record.document))
  }
  // The index has the records themselves. So the function that reads a record at its place returns the place.
  return createReuse([recordsByKey], async (record) => record)
}
