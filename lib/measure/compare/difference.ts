import { formatCount } from '../../failure/text/table'
import { createRandom } from '../../runtime/random'
import { explainFewRows } from '../rows/evidence'
import { bootstrapIntervals, countDraws } from '../statistics/bootstrap'
import { adjustByHolm, computeMcnemarPValue } from '../statistics/hypotheses'
import type { Interval } from '../statistics/intervals'
import { computeEffectiveSize, type Numbers, weightedMean } from '../statistics/numbers'
import type { PairedQuestion, PairedRuns } from './pair-runs'
import type { QuestionPairs } from './question-pairs'

/** The figures that compare the answers of two runs to one question. */
export interface QuestionDifference {
  readonly question: PairedQuestion
  readonly agreement: number | null
  readonly kappa: number | null
  readonly meanShift: number | null
  /** Present if `a` has labels. */
  readonly labelled?: LabelledDifference
}

/** The figures that show which run is right, by the labels of `a`. */
export interface LabelledDifference {
  /** The p-value of McNemar's test; null if rows have weights or groups, since they are not independent draws then. */
  readonly mcnemar: number | null
  /** The p-value corrected by Holm's method. */
  readonly holm: number | null
  /** The name of the main loss in the document. */
  readonly name: 'brier_score_difference' | 'ranked_probability_score_difference'
  /** The mean main loss of b minus that of a; null if probabilities are missing. */
  readonly main: number | null
  /** The mean log loss of b minus that of a; null if probabilities are missing. */
  readonly log: number | null
  /** The 95 % intervals by name of the figure. */
  readonly intervals: Readonly<Record<string, Interval>>
  /** The interval of `main` at the level of `--significant`; `undefined` if there is none. */
  readonly strictInterval: Interval | undefined
  /** The reasons why figures are null or have no interval. */
  readonly why: Readonly<Record<string, string>>
}

/** All figures of `svc compare`. */
export interface Difference {
  readonly compared: PairedRuns
  /** The number of bootstrap draws. */
  readonly draws: number
  readonly seed: number
  readonly questions: ReadonlyMap<string, QuestionDifference>
}

interface DifferenceOptions {
  readonly seed: number
  /** The value of `--significant`. */
  readonly significant: number | undefined
}

/** Computes the figures of two runs. Holm's correction is over the questions that have a p-value. */
export const measureDifference = (compared: PairedRuns, options: DifferenceOptions): Difference => {
  const { seed, significant } = options
  const draws = countDraws(compared.paired)
  const labelled = [...compared.questions].filter(([, { pairs }]) => pairs.labelled > 0)
  const independent = labelled.filter(([, { pairs }]) => pairs.explainDependence() === undefined)
  const pValues = independent.map(([, { pairs }]) =>
    computeMcnemarPValue(pairs.fixed, pairs.broken),
  )
  const adjusted = adjustByHolm(pValues)
  const tests = new Map(
    independent.map(([id], i) => [id, [pValues[i] as number, adjusted[i] as number] as const]),
  )
  const level = significant === undefined ? undefined : significant / labelled.length
  const questions = [...compared.questions].map(([id, question]) => {
    const { pairs } = question
    const [mcnemar = null, holmP = null] = tests.get(id) ?? []
    const difference: QuestionDifference = {
      question,
      agreement: pairs.agreement(),
      kappa: pairs.kappa(),
      meanShift: pairs.meanShift(),
      ...(pairs.labelled > 0 && {
        labelled: { mcnemar, holm: holmP, ...measureLosses(pairs, { draws, seed, level }) },
      }),
    }
    return [id, difference] as const
  })
  return { compared, draws, seed, questions: new Map(questions) }
}

/** An interval needs at least this many draws in each tail. */
const minDrawsInTail = 20

/** Intervals that take more draws are not computed, because that would take minutes. */
const maxDraws = 1_000_000

interface LossPlan {
  readonly draws: number
  readonly seed: number
  /** The level of `--significant`, divided by the number of labelled questions (Bonferroni); `undefined` without the flag. */
  readonly level: number | undefined
}

type LossFigures = Omit<LabelledDifference, 'mcnemar' | 'holm'>

/** Computes the mean differences of losses and their bootstrap intervals, or explains why they are missing. */
const measureLosses = (pairs: QuestionPairs, plan: LossPlan): LossFigures => {
  const name =
    pairs.type === 'score' ? 'ranked_probability_score_difference' : 'brier_score_difference'
  const names = [name, 'log_loss_difference']
  const dependence = pairs.explainDependence()
  const whyNoTest: Readonly<Record<string, string>> =
    dependence === undefined ? {} : { mcnemar_p: dependence, mcnemar_p_holm: dependence }
  const explainAll = (reason: string, missing: ReadonlyArray<string> = names) => ({
    ...whyNoTest,
    ...Object.fromEntries(missing.map((figure) => [figure, reason])),
  })
  const noFigures = {
    name,
    main: null,
    log: null,
    intervals: {},
    strictInterval: undefined,
  } as const
  if (pairs.withoutProbabilities > 0)
    return { ...noFigures, why: explainAll(explainMissingProbabilities(pairs)) }
  const losses = pairs.lossDifferences()
  const { main, log, weights, units } = losses
  if (main.length === 0) return { ...noFigures, why: explainAll('refusals have no probabilities') }
  const figures = {
    ...noFigures,
    main: weightedMean(main, weights),
    log: weightedMean(log, weights),
  }
  const fewRows = explainFewRows(main.length, computeEffectiveSize(weights), units)
  if (fewRows !== undefined) return { ...figures, why: explainAll(fewRows) }
  const intervals = drawIntervals(name, losses, plan.draws, plan.seed)
  const constant = names.filter((figure) => !(figure in intervals))
  const why = explainAll('its draws do not vary', constant)
  if (plan.level === undefined || dependence === undefined) return { ...figures, intervals, why }
  const draws = Math.max(plan.draws, Math.ceil((2 * minDrawsInTail) / plan.level))
  if (draws > maxDraws)
    return {
      ...figures,
      intervals,
      why: { ...why, [name]: `an interval of this level takes ${draws} draws` },
    }
  const strictIntervals = drawIntervals(name, losses, draws, plan.seed, 1 - plan.level)
  return { ...figures, intervals, why, strictInterval: strictIntervals[name] }
}

/** Computes the bootstrap intervals of the mean differences of losses. The default level is 0.95. */
const drawIntervals = (
  name: LossFigures['name'],
  { main, log, weights, units }: ReturnType<QuestionPairs['lossDifferences']>,
  draws: number,
  seed: number,
  level?: number,
): Readonly<Record<string, Interval>> => {
  const measure = (drawn: Numbers) => ({
    [name]: weightedMean(main, drawn),
    log_loss_difference: weightedMean(log, drawn),
  })
  return bootstrapIntervals(measure, { weights, units, draws, random: createRandom(seed), level })
}

/** Explains why figures over probabilities are missing. */
export const explainMissingProbabilities = ({
  paired,
  withoutProbabilities,
}: QuestionPairs): string =>
  paired === 0
    ? 'nothing is paired'
    : `${withoutProbabilities} of ${formatCount(paired, 'pair', 'lacks', 'lack')} probabilities`
