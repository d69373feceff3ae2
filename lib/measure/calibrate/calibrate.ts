import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { topOfYes } from '../../runs/policy/calibration-map'
import type { CalibrationMethod } from '../../runs/policy/policy'
import { createRandom } from '../../runtime/random'
import { measureEvidence } from '../rows/evidence'
import {
  checkLabelled,
  explainAnswersWithoutProbabilities,
  type LabelledRows,
  type LabelledRun,
} from '../rows/labelled-run'
import {
  type Cut,
  type CutSample,
  type CutTarget,
  chooseCut,
  createMissingCut,
} from '../statistics/cuts'
import { assignFolds, chooseMethod, mapOutOfFold } from '../statistics/fits/choose'
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
const minLabelledRows = 30

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
      ...fitQuestion(rows, target, options),
      target: target === undefined ? null : { ...target, confidence: options.confidence },
      labelledRows: rows.truth.length,
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

/**
 * Fits a map and chooses a cut. Both are missing if there are too few rows, or if the answers cannot be calibrated. Only the cut is
 * missing without a target, or if no cut can be chosen for the target.
 */
const fitQuestion = (
  rows: LabelledRows,
  target: CutTarget | undefined,
  { confidence, method, seed }: CalibrateOptions,
): Pick<QuestionPolicyWithEvidence, 'map' | 'cut'> => {
  const labelledRows = rows.truth.length
  if (labelledRows < minLabelledRows)
    return createMissingMap(
      `a map takes ${minLabelledRows} labelled rows, and there ${labelledRows === 1 ? 'is' : 'are'} ${labelledRows}`,
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
  const folds = assignFolds(rows.units, createRandom(seed))
  const requestedMethod = method === 'auto' ? chooseMethod(fitData, rows.units, folds) : method
  // `--method` is for all questions. A question of another type than the method's is not calibrated.
  const methodOfType = rows.type === 'noul' ? 'platt' : 'temperature'
  const usedMethod = requestedMethod === methodOfType ? requestedMethod : 'none'
  if (usedMethod !== 'none' && hasNegativeSlope(fitData))
    return createMissingMap(
      'the answers point the wrong way: rows with a larger P(yes) are less often a yes',
    )
  const map = fitMap(usedMethod, fitData)
  if (target === undefined) return { map, cut: createMissingCut('no target was given') }
  // A map would look too good on the rows that it was fitted to, so each row is mapped by a fit to other rows.
  const table = mapOutOfFold(usedMethod, fitData, folds)
  const sample = createCutSample(rows, target.figure, table)
  return { map, cut: chooseCutWithAdvice(target, confidence, sample) }
}

/** Chooses a cut. If there is none, its reason ends with advice about lower targets and missing labels. */
const chooseCutWithAdvice = (target: CutTarget, confidence: number, sample: CutSample): Cut => {
  const cut = chooseCut(target, confidence, sample)
  if (cut.reason === undefined) return cut
  return { ...cut, reason: cut.reason + describeLowerTarget(target, cut, confidence, sample) }
}

/** Creates the result for a question without a map. Without a map there is no cut either. */
const createMissingMap = (reason: string) => ({ map: null, cut: createMissingCut(reason) })

/** Returns `true` if the Platt map has a negative slope: rows with a larger P(yes) are less often a yes. */
const hasNegativeSlope = (fitData: FitData): boolean => {
  const map = fitData.isYesNo ? fitMap('platt', fitData) : undefined
  return map?.method === 'platt' && map.slope < 0
}

/** Creates the sample from which a cut for a figure is chosen. `table` has the probabilities of the rows, calibrated or not. */
export const createCutSample = (
  rows: LabelledRows,
  figure: CutTarget['figure'],
  table: Table,
): CutSample => {
  const { type, truth, decisions, weights, units } = rows
  const common = { weights, units, designEffect: measureEvidence(rows).designEffect }
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
