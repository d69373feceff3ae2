import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { calibrateRow, topOfYes } from '../../runs/policy/calibration-map'
import type { CalibrationMap, CalibrationMethod } from '../../runs/policy/policy'
import { createRandom } from '../../runtime/random'
import {
  checkLabelled,
  explainAnswersWithoutProbabilities,
  type LabelledRows,
  type LabelledRun,
} from '../rows/labelled-run'
import type { CutSample } from '../statistics/cut-candidates'
import {
  type CandidateTests,
  type Cut,
  type CutTarget,
  chooseCut,
  createMissingCut,
  testCandidates,
} from '../statistics/cuts'
import { assignFolds, chooseMethod } from '../statistics/fits/choose'
import { type FitData, fitMap } from '../statistics/fits/map'
import { mapNumbers, type Numbers, type Table } from '../statistics/numbers'
import {
  type PolicyWithEvidence,
  type QuestionPolicyWithEvidence,
  selectScale,
} from './policy-document'
import { describeLowerTarget } from './target-advice'
import { assignTargets, type ParsedTarget } from './targets'

export interface CalibrateOptions {
  readonly targets: ReadonlyArray<ParsedTarget>
  /** The confidence of the bounds, between 0 and 1. */
  readonly confidence: number
  readonly method: CalibrationMethod | 'auto'
  readonly seed: number
}

/** The minimum number of labelled rows to fit a calibration map. */
export const minLabelledRows = 30

/**
 * Finds for each question of a run a calibration map, which corrects probabilities, and a cut, at or above which answers are
 * accepted. Fails with a usage error if the run has no rows, answers or labels, if a target does not fit the run, if the run has no
 * digest of its questions or several, or if no question has enough labelled rows.
 */
export const calibrate = (
  run: LabelledRun,
  options: CalibrateOptions,
): E.Either<Failure, PolicyWithEvidence> => {
  const labelled = checkLabelled('calibrate', run)
  if (E.isLeft(labelled)) return labelled
  const targets = assignTargets(options.targets, run)
  if (E.isLeft(targets)) return targets
  const digest = findQuestionsDigest(run)
  if (E.isLeft(digest)) return digest
  if (![...run.questions.values()].some(({ truth }) => truth.length >= minLabelledRows))
    return E.left(usage(`calibrate: no question has ${minLabelledRows} labelled rows`))
  const policies = new Map<string, QuestionPolicyWithEvidence>()
  for (const [id, rows] of run.questions) {
    const target = targets.right.get(id)
    policies.set(id, {
      type: rows.type,
      questionsSha256: digest.right,
      models: run.models,
      ...createPolicy(rows, target, options),
      target: target === undefined ? null : { ...target, confidence: options.confidence },
      labelledRows: rows.truth.length,
      answerCounts: rows.answerCounts,
    })
  }
  return E.right(policies)
}

/** Returns the digest of the run's questions. Fails if the run has no digest, or several. */
const findQuestionsDigest = ({ questionsSha256 }: LabelledRun): E.Either<Failure, string> => {
  const [digest] = questionsSha256
  if (digest === undefined)
    return E.left(usage('calibrate: the run has no questions_sha256, which svc batch writes'))
  const digestCount = questionsSha256.length
  return digestCount > 1
    ? E.left(usage(`calibrate: the run asks ${digestCount} sets of questions; a policy is for one`))
    : E.right(digest)
}

/** The options of `svc calibrate` that do not name a target. */
export type CalibrationOptions = Pick<CalibrateOptions, 'confidence' | 'method' | 'seed'>

/** The defaults of the flags of `svc calibrate`. */
export const defaultCalibration: CalibrationOptions = { confidence: 0.95, method: 'auto', seed: 0 }

/**
 * A question with its map. What a cut accepts, and what is reported of it, is measured with the probabilities that the map gives, so it is
 * what the policy does.
 */
export interface CalibratedQuestion {
  readonly map: CalibrationMap
  /** Chooses the cut for a target, as in the policy of `svc calibrate`. */
  readonly chooseCut: (target: CutTarget) => Cut
  /** Returns the candidates that a cut is chosen from, with the results of their tests. The target must not be a coverage. */
  readonly testCandidates: (target: CutTarget) => CandidateTests
}

/** The reason why a question has no map, because there are too few rows, or because the answers cannot be calibrated. */
export interface MissingMap {
  readonly map: null
  readonly reason: string
}

/** The labelled rows of a question that its calibration depends on. */
export type CalibratedRows = Pick<
  LabelledRows,
  'type' | 'truth' | 'decisions' | 'probabilities' | 'weights' | 'units'
>

/** Calibrates one question. With the default options, the map and the cuts are those of `svc calibrate` without flags. */
export const calibrateQuestion = (
  rows: CalibratedRows,
  options: CalibrationOptions = defaultCalibration,
): CalibratedQuestion | MissingMap => {
  const fitted = fitQuestionMap(rows, options)
  if (fitted.map === null) return fitted
  const { map } = fitted
  const { confidence } = options
  const table = mapTable(map, rows.probabilities)
  // The fit of a platt map picks the side that most labels are on, so decisions look too right. Half the error makes up for it.
  const confidenceFor = ({ figure }: CutTarget): number =>
    figure === 'accuracy' && map.method === 'platt' ? 1 - (1 - confidence) / 2 : confidence
  const sampleFor = ({ figure }: CutTarget): CutSample => createCutSample(rows, figure, table)
  return {
    map,
    chooseCut: (target) => chooseCut(target, confidenceFor(target), sampleFor(target)),
    testCandidates: (target) => testCandidates(target, confidenceFor(target), sampleFor(target)),
  }
}

const fitQuestionMap = (
  rows: CalibratedRows,
  { method, seed }: CalibrationOptions,
): MissingMap | Pick<CalibratedQuestion, 'map'> => {
  const rowCount = rows.truth.length
  if (rowCount < minLabelledRows)
    return createMissingMap(
      `a map takes ${minLabelledRows} labelled rows, and there ${rowCount === 1 ? 'is' : 'are'} ${rowCount}`,
    )
  const noProbabilitiesReason = explainAnswersWithoutProbabilities(rows)
  if (noProbabilitiesReason !== undefined) return createMissingMap(noProbabilitiesReason)
  const fitData: FitData = {
    // A `noul` is a yes/no question.
    isYesNo: rows.type === 'noul',
    table: rows.probabilities,
    truth: rows.truth,
    weights: rows.weights,
  }
  const requestedMethod =
    method === 'auto'
      ? chooseMethod(fitData, rows.units, assignFolds(rows.units, createRandom(seed)))
      : method
  // `--method` is for all questions. A question of another type than the method's is not calibrated.
  const methodOfType = rows.type === 'noul' ? 'platt' : 'temperature'
  const usedMethod = requestedMethod === methodOfType ? requestedMethod : 'none'
  const map = fitMap(usedMethod, fitData)
  return map.method === 'platt' && map.slope < 0
    ? createMissingMap(
        'the answers point the wrong way: rows with a larger P(yes) are less often a yes',
      )
    : { map }
}

const createMissingMap = (reason: string): MissingMap => ({ map: null, reason })

/** Calibrates the probabilities of all rows. */
const mapTable = (map: CalibrationMap, table: Table): Table => {
  if (map.method === 'none') return table
  const { columns } = table
  const values = Float64Array.from(table.values)
  for (let start = 0; start < values.length; start += columns)
    calibrateRow(map, values, start, start + columns)
  return { values, columns }
}

/**
 * Returns the map and the cut of a question. Without a map there is no cut either. If no cut can be chosen for the target, its reason
 * ends with advice about lower targets and missing labels.
 */
const createPolicy = (
  rows: LabelledRows,
  target: CutTarget | undefined,
  options: CalibrationOptions,
): Pick<QuestionPolicyWithEvidence, 'map' | 'cut'> => {
  const question = calibrateQuestion(rows, options)
  if (question.map === null) return { map: null, cut: createMissingCut(question.reason) }
  const { map } = question
  if (target === undefined) return { map, cut: createMissingCut('no target was given') }
  const cut = question.chooseCut(target)
  if (cut.reason === undefined) return { map, cut }
  const { answerCounts } = rows
  const counts = { labelledCount: rows.truth.length, answerCounts }
  const advice = describeLowerTarget(target, question, counts)
  return { map, cut: { ...cut, reason: cut.reason + advice } }
}

/** Creates the sample from which a cut for a figure is chosen. `table` has the probabilities of the rows, calibrated or not. */
export const createCutSample = (
  rows: CalibratedRows,
  figure: CutTarget['figure'],
  table: Table,
): CutSample => {
  const { type, truth, decisions, weights, units } = rows
  const common = { weights, units }
  if (type !== 'noul')
    return { ...common, scale: findRowMaxima(table), hits: markEqual(truth, decisions) }
  const yesProbabilities = table.values
  // Precision and recall: the sure yeses are accepted, and a hit is a row that is a yes.
  if (selectScale(type, figure) === 'noul')
    return { ...common, scale: yesProbabilities, hits: truth }
  // Accuracy and coverage: sure yeses and sure noes are accepted, and a hit is a right decision.
  const yesNoDecisions = mapNumbers(yesProbabilities, (p) => (p >= 0.5 ? 1 : 0))
  return {
    ...common,
    scale: mapNumbers(yesProbabilities, topOfYes),
    hits: markEqual(truth, yesNoDecisions),
  }
}

const findRowMaxima = ({ values, columns }: Table): Float64Array => {
  const maxima = new Float64Array(values.length / columns)
  for (let row = 0; row < maxima.length; row++)
    for (let k = row * columns; k < (row + 1) * columns; k++)
      maxima[row] = Math.max(maxima[row] as number, values[k] as number)
  return maxima
}

/** Returns 1 for each row whose label and decision are equal, else 0. */
const markEqual = (truth: Numbers, decisions: Numbers): Uint8Array =>
  new Uint8Array(truth.length).map((_, row) => (truth[row] === decisions[row] ? 1 : 0))
