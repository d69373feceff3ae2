import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Failure, usage } from '../../failure/failure'
import { formatCount } from '../../failure/text/table'
import { type Method, topOfYes } from '../../runs/policy/calibration-map'
import { createRandom } from '../../runtime/random'
import { measureEvidence } from '../rows/evidence'
import {
  checkLabelled,
  explainMissingDistributions,
  type LabelledRows,
  type LabelledRun,
} from '../rows/labelled-run'
import { type Cut, type CutTarget, chooseCut, type Sample } from '../statistics/cuts'
import { chooseMethod, dealFolds, mapOutOfFold } from '../statistics/fits/choose'
import { fit, type LabelledTable } from '../statistics/fits/map'
import { mapNumbers, type Numbers, type Table } from '../statistics/numbers'
import { explainLowerTarget } from './ladder'
import { type FoundPolicy, type FoundQuestionPolicy, scaleOf } from './policy-document'
import { assignTargets, type GivenTarget } from './targets'

/** The options of `svc calibrate`. */
export interface CalibrateOptions {
  readonly targets: ReadonlyArray<GivenTarget>
  /** The confidence of the bounds, between 0 and 1. */
  readonly confidence: number
  readonly method: Method | 'auto'
  readonly seed: number
}

/** The minRows labelled rows from which a map is fitted. */
const minRows = 30

/**
 * Finds a map and a cut for each question of a run. Fails with a usage error if no question has enough
 * labelled rows.
 */
export const calibrate = (
  run: LabelledRun,
  options: CalibrateOptions,
): E.Either<Failure, FoundPolicy> =>
  pipe(
    E.Do,
    E.chainFirst(() => checkLabelled('calibrate', run)),
    E.bind('targets', () => assignTargets(options.targets, run)),
    E.bind('sha', () => findQuestionSet(run)),
    E.chain(({ targets, sha }) => {
      if (![...run.questions.values()].some(({ truth }) => truth.length >= minRows))
        return E.left(usage(`calibrate: no question has ${minRows} labelled rows`))
      const questions = [...run.questions].map(([id, rows]) => {
        const target = targets.get(id)
        const policy: FoundQuestionPolicy = {
          type: rows.type,
          questionsSha256: sha,
          models: run.models,
          ...fitQuestion(rows, target, options),
          target: target === undefined ? null : { ...target, confidence: options.confidence },
          n: rows.truth.length,
        }
        return [id, policy] as const
      })
      return E.right(new Map(questions))
    }),
  )

/**
 * The digest of the run's questions. Fails if the run asks several sets of questions, since a policy is for one.
 */
const findQuestionSet = ({ questionsSha256 }: LabelledRun): E.Either<Failure, string> => {
  const [first, ...more] = questionsSha256
  if (first === undefined)
    return E.left(usage('calibrate: the run does not tell its questions_sha256, as svc batch does'))
  return more.length > 0
    ? E.left(
        usage(`calibrate: the run asks ${more.length + 1} sets of questions; a policy is for one`),
      )
    : E.right(first)
}

const fitQuestion = (
  rows: LabelledRows,
  target: CutTarget | undefined,
  { confidence, method, seed }: CalibrateOptions,
): Pick<FoundQuestionPolicy, 'map' | 'cut'> => {
  const n = rows.truth.length
  if (n < minRows) return refuseCut(`${formatCount(n, 'labelled row')}, it takes ${minRows}`)
  const missing = explainMissingDistributions(rows)
  if (missing !== undefined) return refuseCut(missing)
  const labelled: LabelledTable = {
    yesNo: rows.type === 'noul',
    table: rows.probabilities,
    truth: rows.truth,
    weights: rows.weights,
  }
  const folds = dealFolds(rows.units, createRandom(seed))
  const isUsable = method === (rows.type === 'noul' ? 'platt' : 'temperature')
  const chosen =
    method === 'auto' ? chooseMethod(labelled, rows.units, folds) : isUsable ? method : 'none'
  if (chosen !== 'none' && pointsBackwards(labelled))
    return refuseCut('the answers point the wrong way: the larger P(yes), the rarer is a yes')
  const map = fit(chosen, labelled)
  if (target === undefined) return { map, cut: noCut('no target was given') }
  const sample = sampleOf(rows, target, mapOutOfFold(chosen, labelled, folds))
  return { map, cut: chooseExplained(target, confidence, sample) }
}

/**
 * Chooses a cut. If there is none, `why` names the lower target that today's labels prove, and the labels that the
 * wanted one needs.
 */
const chooseExplained = (target: CutTarget, confidence: number, sample: Sample): Cut => {
  const cut = chooseCut(target, confidence, sample)
  if (cut.why === undefined) return cut
  return { ...cut, why: cut.why + explainLowerTarget(target, cut, confidence, sample) }
}

const noCut = (why: string): Cut => ({ at: null, n: 0, share: 0, low: null, why })

const refuseCut = (why: string) => ({ map: null, cut: noCut(why) })

/** True if a yes becomes rarer as P(yes) grows, by the slope of a Platt map. */
const pointsBackwards = (rows: LabelledTable): boolean => {
  const map = rows.yesNo ? fit('platt', rows) : undefined
  return map?.method === 'platt' && map.slope < 0
}

/** The rows that a cut is chosen from, with their probabilities out of fold. */
export const sampleOf = (rows: LabelledRows, target: CutTarget, table: Table): Sample => {
  const { type, truth, decided, weights, units } = rows
  const shared = { weights, units, designEffect: measureEvidence(rows).designEffect }
  if (type !== 'noul')
    return { ...shared, scale: largestOf(table), right: markEqual(truth, decided) }
  const yes = table.values
  return scaleOf(type, target) === 'noul'
    ? { ...shared, scale: yes, right: truth }
    : {
        ...shared,
        scale: mapNumbers(yes, topOfYes),
        right: markEqual(
          truth,
          mapNumbers(yes, (p) => (p >= 0.5 ? 1 : 0)),
        ),
      }
}

const largestOf = ({ values, columns }: Table): Float64Array => {
  const top = new Float64Array(values.length / columns)
  for (let row = 0; row < top.length; row++)
    for (let k = row * columns; k < (row + 1) * columns; k++)
      top[row] = Math.max(top[row] as number, values[k] as number)
  return top
}

/** Marks with 1 if both are equal, and with 0 if they are not. */
const markEqual = (truth: Numbers, decided: Numbers): Uint8Array =>
  new Uint8Array(truth.length).map((_, row) => (truth[row] === decided[row] ? 1 : 0))
