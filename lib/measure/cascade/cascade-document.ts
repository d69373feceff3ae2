import type { Draft } from '../../codec/json/draft'
import { sanitize } from '../../text/sanitize'
import { alignTable, formatCount } from '../../text/table'
import { formatWholePercent, roundNumbers } from '../format-figures'
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
export const tabulateCascade = (
  { pairedRowCount, askedShare, questions }: Cascade,
  margin: number,
): string => {
  const counts = `${formatCount(pairedRowCount, 'row')} paired; b is asked about ${formatWholePercent(askedShare)} of them`
  const paragraphs = [...questions].map(([id, question]) => {
    const sentence = sanitize(`${id}: ${describeQuestionCascade(question, margin)}`)
    return `${sentence}\n${tabulateCurve(question)}`
  })
  return [counts, ...paragraphs].join('\n\n')
}

/** Describes the cut of a question, or the reason why it has none, in a sentence without a full stop. */
export const describeQuestionCascade = (question: QuestionCascade, margin: number): string => {
  const { cut, noCutReason, labelledCount } = question
  if (cut === null) return `no cut: ${noCutReason}`
  return `a answers if its largest probability is at least ${cut.at}, and b is asked about the other ${formatWholePercent(cut.asked)} of rows; by ${formatCount(labelledCount, 'label')}, the accuracy falls by at most ${formatPoints(margin)}`
}

/** Formats a share, 0 to 1, in percentage points. */
const formatPoints = (share: number): string => `${Number((share * 100).toPrecision(3))} points`

/** Formats the table of tested thresholds. The row of the cut is marked in the last column. */
const tabulateCurve = ({ points, cut }: QuestionCascade): string => {
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
  )
}

/** Formats the cells of a tested threshold. The point without a threshold is that of asking only b. */
const formatPointCells = (point: PricedPoint): ReadonlyArray<string> => {
  const { at: threshold, asked, accuracy, change, low } = point
  const askedCell = formatWholePercent(asked)
  const accuracyCell = `${(accuracy * 100).toFixed(1)} %`
  if (threshold === null) return ['b only', askedCell, accuracyCell, '', '']
  return [
    String(Number(threshold.toPrecision(6))),
    askedCell,
    accuracyCell,
    (change * 100).toFixed(1),
    `≥ ${(low * 100).toFixed(1)}`,
  ]
}
