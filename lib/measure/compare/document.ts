import { type Draft, Entries } from '../../json/draft'
import { bootstrap, drawsFor } from '../../statistics/bootstrap'
import { holm, mcnemarExact } from '../../statistics/hypotheses'
import type { Interval } from '../../statistics/intervals'
import { mean, ones } from '../../statistics/numbers'
import { seeded } from '../../statistics/random'
import { rounded } from '../rounded'
import type { Compared, ComparedQuestion } from './comparison'

/** The figures that compare the answers of two runs to one question. R24 */
export interface QuestionDifference {
  readonly question: ComparedQuestion
  readonly agreement: number | null
  readonly kappa: number | null
  readonly meanShift: number | null
  /** Present where `a` has labels. */
  readonly labelled?: LabelledDifference
}

/** The figures that show which run is right, by the labels of `a`. */
interface LabelledDifference {
  readonly mcnemar: number
  readonly holm: number
  /** The mean loss of b minus that of a; null where probabilities are missing. */
  readonly brier: number | null
  readonly log: number | null
  readonly intervals: Readonly<Record<string, Interval>>
}

/** All figures of `svc compare`. */
export interface Difference {
  readonly compared: Compared
  readonly draws: number
  readonly seed: number
  readonly questions: ReadonlyMap<string, QuestionDifference>
}

/** Computes the figures of two runs. Holm's correction is made over the questions that have labels. R24 */
export const differenceOf = (compared: Compared, seed: number): Difference => {
  const draws = drawsFor(compared.paired)
  const labelled = [...compared.questions].filter(([, { pairs }]) => pairs.labelled > 0)
  const pValues = labelled.map(([, { pairs }]) => mcnemarExact(pairs.fixed, pairs.broken))
  const adjusted = holm(pValues)
  const tests = new Map(
    labelled.map(([id], i) => [id, [pValues[i] as number, adjusted[i] as number] as const]),
  )
  const questions = [...compared.questions].map(([id, question]) => {
    const { pairs, labels } = question
    const test = tests.get(id)
    const difference: QuestionDifference = {
      question,
      agreement: pairs.agreement(),
      kappa: pairs.kappa(labels),
      meanShift: pairs.meanShift(),
      ...(test && { labelled: labelledOf(question, test, draws, seed) }),
    }
    return [id, difference] as const
  })
  return { compared, draws, seed, questions: new Map(questions) }
}

const labelledOf = (
  { pairs }: ComparedQuestion,
  [mcnemar, adjusted]: readonly [number, number],
  draws: number,
  seed: number,
): LabelledDifference => {
  const tests = { mcnemar, holm: adjusted }
  if (pairs.without > 0) return { ...tests, brier: null, log: null, intervals: {} }
  const { brier, log, units } = pairs.differences()
  const weights = ones(brier.length)
  const intervals = bootstrap(
    (drawn) => ({
      brier_score_difference: mean(brier, drawn),
      log_loss_difference: mean(log, drawn),
    }),
    weights,
    units,
    draws,
    seeded(seed),
  )
  return { ...tests, brier: mean(brier, weights), log: mean(log, weights), intervals }
}

/** Writes the document of `svc compare`. R24 */
export const differenceDocument = ({ compared, draws, seed, questions }: Difference): Draft =>
  rounded({
    rows: compared.rows,
    paired: compared.paired,
    bootstrap: { draws, seed },
    questions: new Entries(
      [...questions].map(
        ([id, difference]) => [id, questionDocument(difference, compared)] as const,
      ),
    ),
  })

const questionDocument = (
  { question: { pairs, noise }, agreement, kappa, meanShift, labelled }: QuestionDifference,
  { models }: Compared,
): Draft => ({
  type: pairs.type,
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
    brier_score_difference: labelled.brier,
    log_loss_difference: labelled.log,
    intervals: labelled.intervals,
  }),
  why: whyNull(pairs, kappa),
})

const whyNull = (
  { paired, undecided, without, labelled }: ComparedQuestion['pairs'],
  kappa: number | null,
): Readonly<Record<string, string>> => {
  const missing =
    paired === 0 ? 'nothing is paired' : `${without} of ${paired} pairs lack probabilities`
  return {
    ...(paired === undecided && { agreement: missing }),
    ...(kappa === null && {
      kappa: paired === undecided ? missing : 'both runs decide for the same label throughout',
    }),
    ...((paired === 0 || without > 0) && { mean_shift: missing }),
    ...(labelled > 0 &&
      without > 0 && { brier_score_difference: missing, log_loss_difference: missing }),
  }
}
