/**
 * What a program imports as `typed-questions/measure`: what the records of a run say. Nothing here sends anything; each
 * function is that of the command of its name, and gives the same document.
 */

import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { encodeText } from '../codec/json/draft'
import { type Failure, usage } from '../failure/failure'
import { calibrate as findPolicy } from '../measure/calibrate'
import { Collector } from '../measure/collect'
import { Comparison } from '../measure/compare/comparison'
import { describeDifference, measureDifference } from '../measure/compare/document'
import { describeEvaluation, evaluate as measureRun } from '../measure/evaluate'
import { refuseUnlabelled } from '../measure/labelled'
import { keepLabels } from '../measure/labelled-record'
import { describePolicy } from '../measure/policy'
import { describeSampled, SampleDraw } from '../measure/sample/sample'
import { parseTargets } from '../measure/targets'
import type { RunRecord } from '../runs/record/decode'
import { readRecords } from '../runs/record/read'
import { readPathChunks } from '../runtime/node/input'
import { decodeRecords, type Records } from './records'
import { errorFor, orThrow } from './results'
import { parseDraft, parseWithText } from './values'

export type { Records } from './records'

/** A record as it stands in a file, and its text. */
export interface StoredRecord {
  readonly index?: number
  readonly labels?: Readonly<Record<string, boolean | string | number | null>>
  readonly answers?: Readonly<Record<string, unknown>>
  readonly error?: unknown
  readonly [member: string]: unknown
  /** The record's line. `JSON.stringify` leaves this out. */
  readonly json: string
}

/** Reads the records of a run, one a line, from a file or a stream of bytes. Throws where a line is no record. */
export async function* readRun(
  source: string | AsyncIterable<Uint8Array>,
): AsyncGenerator<StoredRecord, void, undefined> {
  const { signal } = new AbortController()
  const isPath = typeof source === 'string'
  const chunks = isPath ? readPathChunks(source, signal) : source
  for await (const records of readRecords({ name: isPath ? source : 'stream', chunks, signal }))
    for (const record of records)
      yield Object.freeze(parseWithText<StoredRecord>(encodeText(orThrow(record).document)))
}

/** How figures are computed. */
export interface EvaluateOptions {
  /** The seed of the bootstrap, 0 by default. */
  readonly seed?: number
  /** Computes the figures of each group too. */
  readonly byGroup?: boolean
}

/** The figures that are single numbers. `svc help measuring` explains them. */
export type Figure =
  | 'accuracy'
  | 'balanced_accuracy'
  | 'macro_f1'
  | 'brier_score'
  | 'log_loss'
  | 'roc_auc'
  | 'average_precision'
  | 'ece'
  | 'ece_expected'
  | 'exact'
  | 'adjacent'
  | 'mean_absolute_error'
  | 'ranked_probability_score'
  | 'quadratic_kappa'

/** The figures of one question. Null stands where one cannot be had, and `why` says why. */
export type QuestionFigures = { readonly [F in Figure]?: number | null } & {
  readonly type: 'noul' | 'choice' | 'score'
  /** The number of labelled rows, and how many independent ones they are worth where that differs. */
  readonly n: number
  readonly n_effective?: number
  readonly groups?: number
  readonly baseline: { readonly label: string | null; readonly accuracy: number | null } | null
  /** Intervals of 95 %, by figure. */
  readonly intervals: Readonly<Record<string, { readonly low: number; readonly high: number }>>
  readonly why: Readonly<Record<string, string>>
}

/** The figures of a run, as `svc eval` prints them. */
export interface Evaluation {
  readonly rows: number
  readonly answered: number
  readonly labelled: number
  readonly refused?: number
  readonly bootstrap: { readonly draws: number; readonly seed: number }
  readonly questions: Readonly<Record<string, QuestionFigures>>
  readonly groups?: Readonly<
    Record<string, { readonly questions: Readonly<Record<string, QuestionFigures>> }>
  >
}

/** Says how right and how calibrated the answers of a run are, by its labels. Rejects where it has none. */
export const evaluate = async (
  run: Records,
  { seed = 0, byGroup = false }: EvaluateOptions = {},
): Promise<Evaluation> => {
  const labelled = await collectLabelled(run)
  orThrow(refuseUnlabelled('evaluate', labelled))
  return parseDraft(describeEvaluation(measureRun(labelled, { seed, byGroup })))
}

const collectLabelled = async (run: Records) => {
  const collector = new Collector()
  await visitEach(run, 'run', (record) => collector.add(keepLabels(record)))
  return orThrow(
    pipe(
      collector.finish(),
      E.mapLeft((cause) => usage(`run: ${cause}`)),
    ),
  )
}

/** Visits each record. A text that `visit` returns is what is wrong with the record. */
const visitEach = async (
  run: Records,
  name: string,
  visit: (record: RunRecord) => string | undefined,
): Promise<void> => {
  for await (const record of decodeRecords(run, name)) {
    const cause = visit(record)
    if (cause !== undefined) throw errorFor(usage(`${name}: line ${record.line}: ${cause}`), 0)
  }
}

/** What a policy is to reach. */
export interface CalibrateOptions {
  /** Targets such as `precision=0.95`, or `billing:recall=0.9` for one question. */
  readonly targets: ReadonlyArray<string>
  /** The confidence with which they hold, 0.95 by default. */
  readonly confidence?: number
  readonly method?: 'auto' | 'none' | 'temperature' | 'platt'
  readonly seed?: number
}

/** The policy for one question: how its probabilities are corrected, and from where on its answers are accepted. */
export interface QuestionPolicy {
  readonly type: 'noul' | 'choice' | 'score'
  readonly questions_sha256: string
  readonly models: ReadonlyArray<string>
  readonly map: { readonly method: string } | null
  readonly cut: {
    /** Null where no cut reaches the target with confidence; every answer then goes to review. */
    readonly at: number | null
    readonly scale: 'noul' | 'top'
    readonly n: number
    readonly low: number | null
    readonly needs?: number
    readonly why?: string
  }
  readonly n: number
}

/** A policy, as `svc calibrate` writes it to `policy.json`. */
export interface CalibratedPolicy {
  readonly questions: Readonly<Record<string, QuestionPolicy>>
}

/** Finds out from labels which answers to accept. `applyPolicy` and `batch` take the result. */
export const calibrate = async (
  run: Records,
  { targets, confidence = 0.95, method = 'auto', seed = 0 }: CalibrateOptions,
): Promise<CalibratedPolicy> => {
  if (!(confidence > 0 && confidence < 1))
    throw errorFor(usage(`confidence must be between 0 and 1, got ${confidence}`), 0)
  const options = { targets: orThrow(parseTargets(targets)), confidence, method, seed }
  return parseDraft(describePolicy(orThrow(findPolicy(await collectLabelled(run), options))))
}

/** How two runs are compared. */
export interface CompareOptions {
  /** Pairs rows by their id, for two wordings of a question. */
  readonly byId?: boolean
  readonly seed?: number
}

/** How two runs differ, as `svc compare` prints it. */
export interface Difference {
  readonly paired: number
  readonly questions: Readonly<Record<string, QuestionDifference>>
}

/** How the answers of two runs to one question differ. */
export interface QuestionDifference {
  readonly paired: number
  readonly agreement: number | null
  readonly kappa: number | null
  readonly flipped: number
  readonly mean_shift: number | null
  readonly [figure: string]: unknown
}

/** Compares two runs row by row. Rejects where no row was answered in both. */
export const compare = async (
  a: Records,
  b: Records,
  { byId = false, seed = 0 }: CompareOptions = {},
): Promise<Difference> => {
  const comparison = new Comparison(byId)
  await visitEach(b, 'b', (record) => comparison.takeB(record))
  await visitEach(a, 'a', (record) => comparison.takeA(record))
  const compared = comparison.finish()
  if (compared.paired === 0) throw errorFor(usage('compare: no row was answered in both runs'), 0)
  return parseDraft(
    describeDifference(measureDifference(compared, { seed, significant: undefined })),
  )
}

/** Which rows are drawn. */
export interface SampleOptions {
  readonly size: number
  /** What the rows are for: a look at the unsure ones (`review`), or figures of the whole run (`measure`). */
  readonly for: 'review' | 'measure'
  readonly by?: 'margin' | 'disagree'
  /** The share of rows drawn at random: 0.3 for a review, 1 for figures. */
  readonly explore?: number
  readonly seed?: number
}

/** Draws rows for a person to label: records with empty labels, and the chance that each had. */
export const sample = async (
  run: Records,
  { size, for: purpose, by = 'margin', explore, seed = 0 }: SampleOptions,
): Promise<ReadonlyArray<Omit<StoredRecord, 'json'> & { readonly p: number | null }>> => {
  const share = explore ?? (purpose === 'measure' ? 1 : 0.3)
  const isFaulty = !(Number.isInteger(size) && size > 0 && share >= 0 && share <= 1)
  if (isFaulty) throw errorFor(usage('size must be a whole number above 0, explore from 0 to 1'), 0)
  const draw = new SampleDraw({ size, by, explore: share, seed })
  await visitEach(run, 'run', (record) => {
    draw.add(keepLabels(record))
    return undefined
  })
  const drawn = draw.finish()
  const failure: Failure = usage('disagreement needs a run with repeat or permute')
  if (drawn === undefined) throw errorFor(failure, 0)
  return drawn.map((row) => parseDraft(describeSampled(row, undefined)))
}
