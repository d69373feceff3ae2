import type { Draft } from '../../codec/json/draft'
import { formatInertMarkdown, formatMarkdownTable } from '../../text/markdown'
import { alignTable } from '../../text/table'
import { formatFigure, formatSummaryHead, roundNumbers } from '../format-figures'
import type { Difference, QuestionDifference } from './difference'
import type { ComparedRuns } from './pair-runs'

/** Encodes the document of `svc compare`. */
export const encodeDifference = ({ compared, draws, seed, questions }: Difference): Draft =>
  roundNumbers({
    rows: compared.rowCounts,
    paired: compared.pairedRowCount,
    bootstrap: { draws, seed },
    questions: new Map(
      [...questions].map(([id, difference]) => [id, encodeQuestion(difference, compared)]),
    ),
  })

const encodeQuestion = (difference: QuestionDifference, { models }: ComparedRuns): Draft => {
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
      [labelled.mainLossName]: labelled.mainLossDifference,
      log_loss_difference: labelled.logLossDifference,
      intervals: labelled.intervals,
    }),
    why: { ...explainNulls(difference), ...labelled?.missingReasons },
  }
}

/** Explains why figures are null, by the name of the figure. */
const explainNulls = (difference: QuestionDifference): Readonly<Record<string, string>> => {
  const { pairCount, undecidedCount, withoutProbabilities } = difference.question.pairs
  const missingReason = difference.question.pairs.explainMissingProbabilities()
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

/** Formats the table of `svc compare --table`. */
export const tabulateDifference = ({ compared, questions }: Difference): string => {
  const textColumnCount = 1
  const columns = ['question', 'paired', 'agreement', 'kappa', 'flipped', 'mean_shift']
  const table = alignTable(
    textColumnCount,
    [...columns, 'fixed', 'broken', 'p (Holm)'],
    [...questions].map(([id, difference]) => {
      const { pairCount } = difference.question.pairs
      return [id, String(pairCount), ...formatFigureCells(difference)]
    }),
  )
  return `${describeCounts(compared)}\n\n${table}`
}

/** Formats the result of `svc compare` as Markdown for the job summary of a CI system: the exceeded limits, then a row for each question. */
export const formatDifferenceMarkdown = (
  { compared, questions }: Difference,
  exceeded: ReadonlyArray<string>,
): string => {
  const columns = ['Question', 'Agreement', 'Kappa', 'Flipped', 'Mean shift', 'Fixed', 'Broken']
  const table = formatMarkdownTable(
    [...columns, 'p (Holm)'],
    [...questions].map(([id, difference]) => [
      formatInertMarkdown(id),
      ...formatFigureCells(difference),
    ]),
  )
  const head = formatSummaryHead('compare', describeCounts(compared), 'exceeded', exceeded)
  return `${head}\n\n${table}`
}

const describeCounts = ({ rowCounts, pairedRowCount }: ComparedRuns): string =>
  `${rowCounts.a} and ${rowCounts.b} rows, ${pairedRowCount} paired`

/** Formats the cells from the agreement to the p-value. Cells of figures that need labels are empty without labels. */
const formatFigureCells = (difference: QuestionDifference): ReadonlyArray<string> => {
  const { question, agreement, kappa, meanShift, labelled } = difference
  const { flipCount, fixedCount, brokenCount } = question.pairs
  const cells = [agreement, kappa, flipCount, meanShift].map(formatFigure)
  return labelled === undefined
    ? [...cells, '', '', '']
    : [...cells, ...[fixedCount, brokenCount, labelled.holmP].map(formatFigure)]
}
