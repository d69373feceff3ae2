import type { Draft } from '../../codec/json/draft'
import { alignTable, formatCount } from '../../failure/text/table'
import { createRandom } from '../../runtime/random'
import { formatFigure, roundNumbers } from '../format-figures'
import { explainFewRows } from '../rows/evidence'
import { bootstrap, drawsFor } from '../statistics/bootstrap'
import { holm, mcnemarExact } from '../statistics/hypotheses'
import type { Interval } from '../statistics/intervals'
import { effectiveSize, mean } from '../statistics/numbers'
import type { Compared, ComparedQuestion } from './pair-runs'
import type { QuestionPairs } from './question-pairs'

/** The figures that compare the answers of two runs to one question. */
export interface QuestionDifference {
  readonly question: ComparedQuestion
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
  /** The name of the figure that `first` is. */
  readonly name: 'brier_score_difference' | 'ranked_probability_score_difference'
  /** The mean loss of b minus that of a; null if probabilities are missing. */
  readonly first: number | null
  readonly log: number | null
  readonly intervals: Readonly<Record<string, Interval>>
  /** The interval of `first` at the level of `--significant`; `undefined` if there is none. */
  readonly strict: Interval | undefined
  /** The reasons why figures are null or have no interval. */
  readonly why: Readonly<Record<string, string>>
}

/** All figures of `svc compare`. */
export interface Difference {
  readonly compared: Compared
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
export const measureDifference = (compared: Compared, options: Options): Difference => {
  const { seed, significant } = options
  const draws = drawsFor(compared.paired)
  const labelled = [...compared.questions].filter(([, { pairs }]) => pairs.labelled > 0)
  const independent = labelled.filter(([, { pairs }]) => pairs.dependence === undefined)
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

/** Fewer draws than this leave too little in the tails of an interval. */
const minInTail = 20

/** More draws than this take too long. */
const maxDraws = 1_000_000

const measureLosses = (
  pairs: QuestionPairs,
  plan: { readonly draws: number; readonly seed: number; readonly level: number | undefined },
): Omit<LabelledDifference, 'mcnemar' | 'holm'> => {
  const name =
    pairs.type === 'score' ? 'ranked_probability_score_difference' : 'brier_score_difference'
  const names = [name, 'log_loss_difference']
  const dependent = pairs.dependence
  const whyTests: Readonly<Record<string, string>> =
    dependent === undefined ? {} : { mcnemar_p: dependent, mcnemar_p_holm: dependent }
  const explain = (why: string, which: ReadonlyArray<string> = names) => ({
    why: { ...whyTests, ...Object.fromEntries(which.map((one) => [one, why])) },
  })
  const none = { name, first: null, log: null, intervals: {}, strict: undefined } as const
  if (pairs.without > 0) return { ...none, ...explain(explainMissing(pairs)) }
  const { first, log, weights, units } = pairs.differences()
  if (first.length === 0) return { ...none, ...explain('refusals have no probabilities') }
  const figures = { ...none, first: mean(first, weights), log: mean(log, weights) }
  const few = explainFewRows(first.length, effectiveSize(weights), units)
  if (few !== undefined) return { ...figures, ...explain(few) }
  const measure = (drawn: ArrayLike<number>) => ({
    [name]: mean(first, drawn),
    log_loss_difference: mean(log, drawn),
  })
  const draw = (draws: number, level?: number) =>
    bootstrap(measure, { weights, units, draws, random: createRandom(plan.seed), level })
  const intervals = draw(plan.draws)
  const constant = names.filter((one) => !(one in intervals))
  const measured = { ...figures, intervals, ...explain('its draws do not vary', constant) }
  if (plan.level === undefined || dependent === undefined) return measured
  const draws = Math.max(plan.draws, Math.ceil((2 * minInTail) / plan.level))
  if (draws <= maxDraws) return { ...measured, strict: draw(draws, 1 - plan.level)[name] }
  const why = `an interval so wide takes ${draws} draws`
  return { ...measured, why: { ...measured.why, [name]: why } }
}

/** Writes the document of `svc compare`. */
export const encodeDifference = ({ compared, draws, seed, questions }: Difference): Draft =>
  roundNumbers({
    rows: compared.rows,
    paired: compared.paired,
    bootstrap: { draws, seed },
    questions: new Map<string, Draft>(
      [...questions].map(
        ([id, difference]) => [id, describeQuestion(difference, compared)] as const,
      ),
    ),
  })

const describeQuestion = (
  { question: { pairs, noise }, agreement, kappa, meanShift, labelled }: QuestionDifference,
  { models }: Compared,
): Draft => ({
  type: pairs.type ?? 'refusal',
  paired: pairs.paired,
  unpaired: pairs.unpaired,
  models,
  agreement,
  kappa,
  flipped: pairs.flipped,
  flips: pairs.flips,
  mean_shift: meanShift,
  noise: noise.a === null && noise.b === null ? undefined : noise,
  ...(labelled && {
    labelled: pairs.labelled,
    fixed: pairs.fixed,
    broken: pairs.broken,
    mcnemar_p: labelled.mcnemar,
    mcnemar_p_holm: labelled.holm,
    [labelled.name]: labelled.first,
    log_loss_difference: labelled.log,
    intervals: labelled.intervals,
  }),
  why: { ...explainNulls(pairs, kappa, meanShift), ...labelled?.why },
})

const explainMissing = ({ paired, without }: QuestionPairs): string =>
  paired === 0
    ? 'nothing is paired'
    : `${without} of ${formatCount(paired, 'pair', 'lacks', 'lack')} probabilities`

const explainNulls = (
  pairs: QuestionPairs,
  kappa: number | null,
  meanShift: number | null,
): Readonly<Record<string, string>> => {
  const { paired, undecided, without } = pairs
  const missing = explainMissing(pairs)
  return {
    ...(paired === undecided && { agreement: missing }),
    ...(kappa === null && {
      kappa: paired === undecided ? missing : 'both runs decide for the same label throughout',
    }),
    ...(meanShift === null && {
      mean_shift: paired > 0 && without === 0 ? 'refusals have no probabilities' : missing,
    }),
  }
}

/** Writes the table of `svc compare --table`. */
export const tabulateDifference = ({ compared: { rows, paired }, questions }: Difference): string =>
  [
    `${rows.a} and ${rows.b} rows, ${paired} paired`,
    alignTable(
      1,
      [
        'question',
        'paired',
        'agreement',
        'kappa',
        'flipped',
        'mean_shift',
        'fixed',
        'broken',
        'p (Holm)',
      ],
      [...questions].map(([id, { question, agreement, kappa, meanShift, labelled }]) => {
        const { paired, flipped, fixed, broken } = question.pairs
        return [
          id,
          String(paired),
          ...[agreement, kappa, flipped, meanShift].map(formatFigure),
          ...(labelled === undefined ? [] : [fixed, broken, labelled.holm].map(formatFigure)),
        ]
      }),
    ),
  ].join('\n\n')
