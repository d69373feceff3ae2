import type { Draft } from '../../codec/json/draft'
import { alignTable } from '../../failure/text/table'
import { formatFigure, roundNumbers } from '../format-figures'
import { type Difference, explainMissingProbabilities, type QuestionDifference } from './difference'
import type { PairedRuns } from './pair-runs'

/** Encodes the document of `svc compare`. */
export const encodeDifference = ({ compared, draws, seed, questions }: Difference): Draft =>
  roundNumbers({
    rows: compared.rowCounts,
    paired: compared.pairedRowCount,
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
    paired: pairs.pairCount,
    unpaired: pairs.unpaired,
    models,
    agreement,
    kappa,
    flipped: pairs.flipCount,
    flips: pairs.flips,
    mean_shift: meanShift,
    noise: noise.a === null && noise.b === null ? undefined : noise,
    ...(labelled && {
      labelled: pairs.labelledCount,
      fixed: pairs.fixedCount,
      broken: pairs.brokenCount,
      mcnemar_p: labelled.mcnemarP,
      mcnemar_p_holm: labelled.holmP,
      [labelled.mainLossName]: labelled.mainLoss,
      log_loss_difference: labelled.logLoss,
      intervals: labelled.intervals,
    }),
    why: { ...explainNulls(difference), ...labelled?.missingReasons },
  }
}

/** Explains why figures are null, by the name of the figure. */
const explainNulls = (difference: QuestionDifference): Readonly<Record<string, string>> => {
  const { pairCount, undecidedCount, withoutProbabilities } = difference.question.pairs
  const missingReason = explainMissingProbabilities(difference.question.pairs)
  const hasNoDecision = pairCount === undecidedCount
  const reasons: Record<string, string> = {}
  if (hasNoDecision) reasons.agreement = missingReason
  if (difference.kappa === null)
    reasons.kappa = hasNoDecision ? missingReason : 'both runs decide for the same label throughout'
  if (difference.meanShift === null) {
    const areAllRefusals = pairCount > 0 && withoutProbabilities === 0
    reasons.mean_shift = areAllRefusals ? 'refusals have no probabilities' : missingReason
  }
  return reasons
}

/** The first column of the table, the question, is aligned to the left. */
const textColumns = 1

/** Formats the table of `svc compare --table`. */
export const tabulateDifference = ({ compared, questions }: Difference): string => {
  const { rowCounts, pairedRowCount } = compared
  return [
    `${rowCounts.a} and ${rowCounts.b} rows, ${pairedRowCount} paired`,
    alignTable(
      textColumns,
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
        const { pairs } = question
        const labelFigures =
          labelled === undefined ? [] : [pairs.fixedCount, pairs.brokenCount, labelled.holmP]
        return [
          id,
          String(pairs.pairCount),
          ...[agreement, kappa, pairs.flipCount, meanShift].map(formatFigure),
          ...labelFigures.map(formatFigure),
        ]
      }),
    ),
  ].join('\n\n')
}
