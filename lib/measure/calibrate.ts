import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Failure, usage } from '../failure/failure'
import { type Cut, chooseCut, type Target } from '../statistics/cuts'
import { chooseMethod, foldsOf, isotonicFrom, outOfFold } from '../statistics/fits/choose'
import { fit, type Labelled, type Method, yesOf } from '../statistics/fits/map'
import type { Table } from '../statistics/numbers'
import { seeded } from '../statistics/random'
import { hits } from './figures'
import { type LabelledRows, type LabelledRun, missingProbabilities } from './labelled'
import type { FoundPolicy, FoundQuestionPolicy } from './policy'
import { type GivenTarget, targetsOf } from './targets'

/** The options of `svc calibrate`. R21, R22 */
export interface CalibrateOptions {
  readonly targets: ReadonlyArray<GivenTarget>
  /** The confidence of the bounds, between 0 and 1. */
  readonly confidence: number
  readonly method: Method | 'auto'
  readonly seed: number
}

/** The fewest labelled rows from which a map is fitted. R22 */
const fewest = 30

/**
 * Finds a map and a cut for each question of a run. Fails with a usage error where no question has enough
 * labelled rows. R21–R23
 */
export const calibrate = (
  run: LabelledRun,
  options: CalibrateOptions,
): E.Either<Failure, FoundPolicy> =>
  pipe(
    E.Do,
    E.bind('targets', () => targetsOf(options.targets, run)),
    E.bind('sha', () => oneQuestionSet(run)),
    E.chain(({ targets, sha }) => {
      if (![...run.questions.values()].some(({ truth }) => truth.length >= fewest))
        return E.left(usage(`calibrate: no question has ${fewest} labelled rows`))
      const short = tooFewForIsotonic(run, options.method)
      if (short !== undefined) return E.left(usage(short))
      const questions = [...run.questions].map(([id, rows]) => {
        const target = targets.get(id)
        const policy: FoundQuestionPolicy = {
          type: rows.type,
          questionsSha256: sha,
          models: run.models,
          ...fitted(rows, target, options),
          target: target === undefined ? null : { ...target, confidence: options.confidence },
          n: rows.truth.length,
        }
        return [id, policy] as const
      })
      return E.right(new Map(questions))
    }),
  )

/**
 * The digest of the run's questions. Fails where the run asks several sets of questions, since a policy is for
 * one. R23
 */
const oneQuestionSet = ({ rows, questionsSha256 }: LabelledRun): E.Either<Failure, string> => {
  if (rows === 0) return E.left(usage('calibrate: the run has no rows'))
  const [first, ...more] = questionsSha256
  if (first === undefined)
    return E.left(usage('calibrate: the run does not tell its questions_sha256, as svc batch does'))
  return more.length > 0
    ? E.left(
        usage(`calibrate: the run asks ${more.length + 1} sets of questions; a policy is for one`),
      )
    : E.right(first)
}

const tooFewForIsotonic = (
  { questions }: LabelledRun,
  method: CalibrateOptions['method'],
): string | undefined => {
  if (method !== 'isotonic') return undefined
  for (const [id, { type, truth }] of questions)
    if (type === 'noul' && truth.length >= fewest && truth.length < isotonicFrom)
      return `--method isotonic takes ${isotonicFrom} labelled rows, question "${id}" has ${truth.length}`
  return undefined
}

const fitted = (
  rows: LabelledRows,
  target: Target | undefined,
  { confidence, method, seed }: CalibrateOptions,
): Pick<FoundQuestionPolicy, 'map' | 'cut'> => {
  const n = rows.truth.length
  if (n < fewest) return { map: null, cut: none(`${n} labelled rows, it takes ${fewest}`) }
  const missing = missingProbabilities(rows)
  if (missing !== undefined) return { map: null, cut: none(missing) }
  const labelled: Labelled = {
    yesNo: rows.type === 'noul',
    table: rows.probabilities,
    truth: rows.truth,
    weights: rows.weights,
  }
  const folds = foldsOf(rows.units, seeded(seed))
  const withMethod = (one: Method) => ({ method: one, table: outOfFold(one, labelled, folds) })
  // Platt and isotonic maps are for noul questions; with them, other questions get no map. R22
  const chosen =
    method === 'auto'
      ? chooseMethod(labelled, rows.units, folds)
      : withMethod(rows.type === 'noul' || method === 'temperature' ? method : 'none')
  const cut =
    target === undefined
      ? none('no target was given')
      : chooseCut(target, confidence, scaleValues(rows, chosen.table), rightOf(rows), rows.weights)
  return { map: fit(chosen.method, labelled), cut }
}

const none = (why: string): Cut => ({ at: null, n: 0, low: null, why })

/** The value of each row that the cut is on: P(yes), or the largest probability. R21 */
const scaleValues = ({ type }: LabelledRows, table: Table): Float64Array => {
  if (type === 'noul') return yesOf(table)
  const { values, columns } = table
  const top = new Float64Array(values.length / columns)
  for (let i = 0; i < values.length; i++) {
    const row = Math.floor(i / columns)
    top[row] = Math.max(top[row] as number, values[i] as number)
  }
  return top
}

/**
 * For each row 1 or 0: whether the label is yes for a noul question, whether the decision is right for others.
 * R21
 */
const rightOf = ({ type, truth, decided }: LabelledRows): Float64Array =>
  type === 'noul' ? Float64Array.from(truth) : hits(truth, decided)
