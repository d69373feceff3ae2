import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { type CalibrationMethod, topOfYes } from '../../runs/policy/calibration-map'
import { createRandom } from '../../runtime/random'
import { measureEvidence } from '../rows/evidence'
import {
  checkLabelled,
  explainMissingDistributions,
  type LabelledRows,
  type LabelledRun,
} from '../rows/labelled-run'
import { type Cut, type CutSample, type CutTarget, chooseCut } from '../statistics/cuts'
import { assignFolds, chooseMethod, mapOutOfFold } from '../statistics/fits/choose'
import { fitMap, type LabelledTable } from '../statistics/fits/map'
import { mapNumbers, type Numbers, type Table } from '../statistics/numbers'
import { describeLowerTarget } from './ladder'
import {
  type PolicyWithEvidence,
  type QuestionPolicyWithEvidence,
  selectScale,
} from './policy-document'
import { assignTargets, type ParsedTarget } from './targets'

/** The options of `svc calibrate`. */
export interface CalibrateOptions {
  readonly targets: ReadonlyArray<ParsedTarget>
  /** The confidence of the bounds, between 0 and 1. */
  readonly confidence: number
  readonly method: CalibrationMethod | 'auto'
  readonly seed: number
}

/** The minimum number of labelled rows that a map is fitted to. */
const minRows = 30

/**
 * Finds a map and a cut for each question of a run. Fails with a usage error if no question has enough
 * labelled rows.
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
  if (![...run.questions.values()].some(({ truth }) => truth.length >= minRows))
    return E.left(usage(`calibrate: no question has ${minRows} labelled rows`))
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

/** Returns the digest of the run's questions. Fails if the run has several sets of questions, since a policy is for one. */
const findQuestionsDigest = ({ questionsSha256 }: LabelledRun): E.Either<Failure, string> => {
  const [first, ...more] = questionsSha256
  if (first === undefined)
    return E.left(usage('calibrate: the run has no questions_sha256, which svc batch writes'))
  return more.length > 0
    ? E.left(
        usage(`calibrate: the run asks ${more.length + 1} sets of questions; a policy is for one`),
      )
    : E.right(first)
}

/** Fits a map and chooses a cut. Both are missing if there are too few rows, or if the answers cannot be calibrated. */
const fitQuestion = (
  rows: LabelledRows,
  target: CutTarget | undefined,
  { confidence, method, seed }: CalibrateOptions,
): Pick<QuestionPolicyWithEvidence, 'map' | 'cut'> => {
  const n = rows.truth.length
  if (n < minRows)
    return refuseCut(
      `a map takes ${minRows} labelled rows, and there ${n === 1 ? 'is' : 'are'} ${n}`,
    )
  const missing = explainMissingDistributions(rows)
  if (missing !== undefined) return refuseCut(missing)
  const labelled: LabelledTable = {
    isYesNo: rows.type === 'noul',
    table: rows.probabilities,
    truth: rows.truth,
    weights: rows.weights,
  }
  const folds = assignFolds(rows.units, createRandom(seed))
  const requested = method === 'auto' ? chooseMethod(labelled, rows.units, folds) : method
  // A method for another question type corrects nothing.
  const methodOfType = rows.type === 'noul' ? 'platt' : 'temperature'
  const usedMethod = requested === methodOfType ? requested : 'none'
  if (usedMethod !== 'none' && hasNegativeSlope(labelled))
    return refuseCut(
      'the answers point the wrong way: rows with a larger P(yes) are less often a yes',
    )
  const map = fitMap(usedMethod, labelled)
  if (target === undefined) return { map, cut: noCut('no target was given') }
  const sample = createCutSample(rows, target, mapOutOfFold(usedMethod, labelled, folds))
  return { map, cut: chooseCutWithAdvice(target, confidence, sample) }
}

/**
 * Chooses a cut. If there is none, `why` also names a lower target that has a cut today, and the number of labels that are missing
 * for the target.
 */
const chooseCutWithAdvice = (target: CutTarget, confidence: number, sample: CutSample): Cut => {
  const cut = chooseCut(target, confidence, sample)
  if (cut.reason === undefined) return cut
  return { ...cut, reason: cut.reason + describeLowerTarget(target, cut, confidence, sample) }
}

const noCut = (reason: string): Cut => ({
  threshold: null,
  acceptedRows: 0,
  acceptedShare: 0,
  lowerBound: null,
  reason,
})

const refuseCut = (reason: string) => ({ map: null, cut: noCut(reason) })

/** Returns `true` if the Platt map has a negative slope: rows with a larger P(yes) are less often a yes. */
const hasNegativeSlope = (rows: LabelledTable): boolean => {
  const map = rows.isYesNo ? fitMap('platt', rows) : undefined
  return map?.method === 'platt' && map.slope < 0
}

/** Creates the sample from which a cut is chosen. `table` has the probabilities of the rows, corrected by maps of other folds. */
export const createCutSample = (rows: LabelledRows, target: CutTarget, table: Table): CutSample => {
  const { type, truth, decisions, weights, units } = rows
  const shared = { weights, units, designEffect: measureEvidence(rows).designEffect }
  if (type !== 'noul')
    return { ...shared, scale: findRowMaxima(table), right: markEqual(truth, decisions) }
  const yes = table.values
  if (selectScale(type, target) === 'noul') return { ...shared, scale: yes, right: truth }
  const yesDecisions = mapNumbers(yes, (p) => (p >= 0.5 ? 1 : 0))
  return { ...shared, scale: mapNumbers(yes, topOfYes), right: markEqual(truth, yesDecisions) }
}

/** Returns the largest value of each row. */
const findRowMaxima = ({ values, columns }: Table): Float64Array => {
  const top = new Float64Array(values.length / columns)
  for (let row = 0; row < top.length; row++)
    for (let k = row * columns; k < (row + 1) * columns; k++)
      top[row] = Math.max(top[row] as number, values[k] as number)
  return top
}

/** Returns 1 for each row in which both numbers are equal, else 0. */
const markEqual = (truth: Numbers, decided: Numbers): Uint8Array =>
  new Uint8Array(truth.length).map((_, row) => (truth[row] === decided[row] ? 1 : 0))
