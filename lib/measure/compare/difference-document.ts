import type { Draft } from '../../codec/json/draft'
import { alignTable } from '../../failure/text/table'
import { formatFigure, roundNumbers } from '../format-figures'
import { type Difference, explainMissingProbabilities, type QuestionDifference } from './difference'
import type { PairedRuns } from './pair-runs'
import type { QuestionPairs } from './question-pairs'

/** Encodes the document of `svc compare`. */
export const encodeDifference = ({ compared, draws, seed, questions }: Difference): Draft =>
  roundNumbers({
    rows: compared.rows,
    paired: compared.paired,
    bootstrap: { draws, seed },
    questions: new Map<string, Draft>(
      [...questions].map(([id, difference]) => [id, encodeQuestion(difference, compared)] as const),
    ),
  })

const encodeQuestion = (difference: QuestionDifference, { models }: PairedRuns): Draft => {
  const { question, agreement, kappa, meanShift, labelled } = difference
  const { pairs, noise } = question
  return {
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
      [labelled.name]: labelled.main,
      log_loss_difference: labelled.log,
      intervals: labelled.intervals,
    }),
    why: { ...explainNulls(pairs, kappa, meanShift), ...labelled?.why },
  }
}

/** Explains the figures that are null, by name. */
const explainNulls = (
  pairs: QuestionPairs,
  kappa: number | null,
  meanShift: number | null,
): Readonly<Record<string, string>> => {
  const { paired, undecided, withoutProbabilities } = pairs
  const missing = explainMissingProbabilities(pairs)
  return {
    ...(paired === undecided && { agreement: missing }),
    ...(kappa === null && {
      kappa: paired === undecided ? missing : 'both runs decide for the same label throughout',
    }),
    ...(meanShift === null && {
      mean_shift:
        paired > 0 && withoutProbabilities === 0 ? 'refusals have no probabilities' : missing,
    }),
  }
}

/** Formats the table of `svc compare --table`. */
export const tabulateDifference = ({ compared, questions }: Difference): string => {
  const { rows, paired } = compared
  return [
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
      [...questions].map(([id, difference]) => {
        const { question, agreement, kappa, meanShift, labelled } = difference
        const { paired: pairs, flipped, fixed, broken } = question.pairs
        return [
          id,
          String(pairs),
          ...[agreement, kappa, flipped, meanShift].map(formatFigure),
          ...(labelled === undefined ? [] : [fixed, broken, labelled.holm].map(formatFigure)),
        ]
      }),
    ),
  ].join('\n\n')
}
