import type { Draft } from '../../codec/json/draft'
import { sanitize } from '../../text/sanitize'
import { alignTable, formatCount } from '../../text/table'
import { plainLayout, type TextLayout } from '../../text/terminal'
import { formatShare, formatTenthPercent, roundNumbers } from '../format-figures'
import type { CascadePoint } from '../statistics/cascade'
import type { CascadePairs } from './cascade-pairs'
import type { Cascade, PricedPoint, QuestionCascade } from './measure-cascade'

/** Encodes the document of `svc cascade`. */
export const encodeCascade = ({ pairedRowCount, askedShare, questions }: Cascade): Draft => {
  const encoded = new Map<string, Draft>()
  for (const [id, { minRows, labelledCount, points, cut, noCutReason }] of questions)
    encoded.set(id, {
      needs: minRows,
      n: labelledCount,
      points,
      cut: cut && { at: cut.at, asked: cut.asked, low: cut.low },
      why: noCutReason,
    })
  return roundNumbers({ paired: pairedRowCount, asked: askedShare, questions: encoded })
}

/**
 * Encodes the policy of a cascade. It accepts answers of the cheap model at or above the cut. Its outcome `review` means: ask the
 * expensive one. `questionsSha256` must have at most one digest.
 */
export const encodeCascadePolicy = (
  { questions }: Cascade,
  { questionsSha256, models }: CascadePairs,
): Draft => {
  const [digest] = questionsSha256
  const policies = new Map<string, Draft>()
  for (const [id, question] of questions)
    policies.set(id, {
      type: question.type,
      questions_sha256: digest,
      models: [...models],
      map: { method: 'none' },
      cut: encodeCut(question),
      n: question.labelledCount,
    })
  return roundNumbers({ questions: policies })
}

/** Encodes the cut. The scale `top` means that the largest probability of an answer is compared with it. */
const encodeCut = ({ cut, acceptedCount, minRows, noCutReason }: QuestionCascade): Draft => ({
  at: cut?.at ?? null,
  scale: 'top',
  n: acceptedCount,
  share: cut === null ? 0 : 1 - cut.asked,
  // `svc calibrate` writes the target of a cut and its lower bound. A cascade has a margin instead.
  low: null,
  target: null,
  needs: minRows ?? undefined,
  why: noCutReason,
})

/**
 * Formats the output of `svc cascade --table`: a sentence and a table of thresholds for each question. In it, a is the cheap model,
 * and b the expensive one.
 */
export const tabulateCascade = (cascade: Cascade, layout: TextLayout = plainLayout): string => {
  const { questions } = cascade
  const paragraphs = [...questions].map(([id, question]) => {
    const lines = describeQuestionCascade(question).map((line) => sanitize(`${id}: ${line}`))
    return [...lines, tabulateCurve(question, layout)].join('\n')
  })
  return [describeCascadeRows(cascade), ...paragraphs].join('\n\n')
}

/** Describes the rows of a cascade: those that are paired, those that b is asked about, and those of a that failed. */
export const describeCascadeRows = (cascade: Cascade): string => {
  const { pairedRowCount, failedRowCount, askedShare } = cascade
  const paired = `${formatCount(pairedRowCount, 'row')} paired; b is asked about ${formatShare(askedShare)} of them`
  if (failedRowCount === 0) return paired
  const verb = failedRowCount === 1 ? 'is' : 'are'
  return `${paired}; ${formatCount(failedRowCount, 'row')} failed in a and ${verb} not counted`
}

/**
 * Describes a question in sentences without full stops: the rows that a refused, if there are any, and the cut or the reason why it has
 * none. `surely` means with the confidence of the cut.
 */
export const describeQuestionCascade = (question: QuestionCascade): ReadonlyArray<string> => {
  const { cut, noCutReason, labelledCount, pairCount, refusedCount } = question
  const [verb, destination] =
    refusedCount === 1 ? ['was', 'it goes to b'] : ['were', 'they go to b']
  const refused = `${refusedCount} of ${formatCount(pairCount, 'row')} ${verb} refused by a; ${destination}`
  return [
    ...(refusedCount === 0 ? [] : [refused]),
    cut === null ? `no cut: ${noCutReason}` : describeCut(cut, labelledCount),
  ]
}

const describeCut = ({ at, asked, low }: CascadePoint, labelledCount: number): string => {
  const change =
    low < 0
      ? `surely falls by at most ${formatPoints(-low)}`
      : `surely rises by at least ${formatPoints(low)}`
  return `a answers ${formatShare(1 - asked)} of rows, in which its largest probability is at least ${at}, and b the other ${formatShare(asked)}; by ${formatCount(labelledCount, 'label')}, the accuracy ${change}`
}

/** Formats a share, 0 to 1, in percentage points with one decimal. */
const formatPoints = (share: number): string => `${(share * 100).toFixed(1)} points`

/** Formats the table of tested thresholds. The row of the cut is marked in the last column. */
const tabulateCurve = ({ points, cut }: QuestionCascade, layout: TextLayout): string => {
  if (points.length === 0) return ''
  const textColumnCount = 1
  const hasCost = points.some(({ cost }) => cost !== undefined)
  const columns = ['a answers from', 'b is asked', 'right', 'change', 'at least']
  return alignTable(
    textColumnCount,
    [...columns, ...(hasCost ? ['cost'] : []), ''],
    points.map((point) => [
      ...formatPointCells(point),
      ...(hasCost ? [String(point.cost ?? '–')] : []),
      cut !== null && point.at === cut.at ? '← cut' : '',
    ]),
    { ...layout, decisive: 'right', droppable: ['change', 'at least', 'cost'] },
  )
}

/** Formats the cells of a tested threshold. The point without a threshold is that of asking only b. */
const formatPointCells = (point: PricedPoint): ReadonlyArray<string> => {
  const { at: threshold, asked, accuracy, change, low } = point
  const askedCell = formatShare(asked)
  const accuracyCell = formatTenthPercent(accuracy)
  if (threshold === null) return ['b only', askedCell, accuracyCell, '', '']
  return [
    String(Number(threshold.toPrecision(6))),
    askedCell,
    accuracyCell,
    (change * 100).toFixed(1),
    `≥ ${(low * 100).toFixed(1)}`,
  ]
}
