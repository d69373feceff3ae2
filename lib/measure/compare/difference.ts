import { formatCount } from '../../failure/text/table'
import { createRandom } from '../../runtime/random'
import { explainFewRows } from '../rows/evidence'
import { bootstrap, countDraws } from '../statistics/bootstrap'
import { holm, mcnemarExact } from '../statistics/hypotheses'
import type { Interval } from '../statistics/intervals'
import { effectiveSize, mean } from '../statistics/numbers'
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
  /** Null if the rows are no independent draws: they have weights or groups. */
  readonly mcnemar: number | null
  readonly holm: number | null
  /** The name of the figure `main`. */
  readonly name: 'brier_score_difference' | 'ranked_probability_score_difference'
  /** The mean loss of b minus that of a; null if probabilities are missing. */
  readonly main: number | null
  readonly log: number | null
  readonly intervals: Readonly<Record<string, Interval>>
  /** The interval of `main` at the level of `--significant`; `undefined` if there is none. */
  readonly strict: Interval | undefined
  /** The reasons why figures are null or have no interval. */
  readonly why: Readonly<Record<string, string>>
}

/** All figures of `svc compare`. */
export interface Difference {
  readonly compared: PairedRuns
  readonly draws: number
  readonly seed: number
  readonly questions: ReadonlyMap<string, QuestionDifference>
}

interface Options {
  readonly seed: number
  /** The value of `--significant`. */
  readonly significant: number | undefined
}

/** Computes the figures of two runs. Holm's correction is made over the questions that have a p-value. */
export const measureDifference = (compared: PairedRuns, options: Options): Difference => {
  const { seed, significant } = options
  const draws = countDraws(compared.paired)
  const labelled = [...compared.questions].filter(([, { pairs }]) => pairs.labelled > 0)
  const independent = labelled.filter(([, { pairs }]) => pairs.explainDependence() === undefined)
  const pValues = independent.map(([, { pairs }]) => mcnemarExact(pairs.fixed, pairs.broken))
  const adjusted = holm(pValues)
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

/** An interval that needs more draws than this is not computed: it would take minutes. */
const maxDraws = 1_000_000

interface LossPlan {
  readonly draws: number
  readonly seed: number
  /** The level of `--significant`, divided by the number of labelled questions (Bonferroni). */
  readonly level: number | undefined
}

/** Computes the mean differences of losses and their bootstrap intervals, or explains why they are missing. */
const measureLosses = (
  pairs: QuestionPairs,
  plan: LossPlan,
): Omit<LabelledDifference, 'mcnemar' | 'holm'> => {
  const name =
    pairs.type === 'score' ? 'ranked_probability_score_difference' : 'brier_score_difference'
  const names = [name, 'log_loss_difference']
  const dependence = pairs.explainDependence()
  const whyNoTest: Readonly<Record<string, string>> =
    dependence === undefined ? {} : { mcnemar_p: dependence, mcnemar_p_holm: dependence }
  const explain = (reason: string, missing: ReadonlyArray<string> = names) => ({
    ...whyNoTest,
    ...Object.fromEntries(missing.map((figure) => [figure, reason])),
  })
  const none = { name, main: null, log: null, intervals: {}, strict: undefined } as const
  if (pairs.withoutProbabilities > 0)
    return { ...none, why: explain(explainMissingProbabilities(pairs)) }
  const { main, log, weights, units } = pairs.lossDifferences()
  if (main.length === 0) return { ...none, why: explain('refusals have no probabilities') }
  const figures = { ...none, main: mean(main, weights), log: mean(log, weights) }
  const fewRows = explainFewRows(main.length, effectiveSize(weights), units)
  if (fewRows !== undefined) return { ...figures, why: explain(fewRows) }
  const drawIntervals = (draws: number, level?: number) =>
    bootstrap((drawn) => ({ [name]: mean(main, drawn), log_loss_difference: mean(log, drawn) }), {
      weights,
      units,
      draws,
      random: createRandom(plan.seed),
      level,
    })
  const intervals = drawIntervals(plan.draws)
  const constant = names.filter((figure) => !(figure in intervals))
  const why = explain('its draws do not vary', constant)
  if (plan.level === undefined || dependence === undefined) return { ...figures, intervals, why }
  const draws = Math.max(plan.draws, Math.ceil((2 * minDrawsInTail) / plan.level))
  if (draws > maxDraws)
    return {
      ...figures,
      intervals,
      why: { ...why, [name]: `an interval so wide takes ${draws} draws` },
    }
  return { ...figures, intervals, why, strict: drawIntervals(draws, 1 - plan.level)[name] }
}

/** Explains why figures over probabilities are missing. */
export const explainMissingProbabilities = ({
  paired,
  withoutProbabilities,
}: QuestionPairs): string =>
  paired === 0
    ? 'nothing is paired'
    : `${withoutProbabilities} of ${formatCount(paired, 'pair', 'lacks', 'lack')} probabilities`
