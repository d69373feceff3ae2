import type { Draft } from '../../codec/json/draft'
import { sanitize } from '../../failure/text/sanitize'
import { alignTable, formatCount } from '../../failure/text/table'
import { formatWholePercent, roundNumbers } from '../format-figures'
import type { CascadePairs } from './cascade-pairs'
import type { Cascade, PricedPoint, QuestionCascade } from './measure-cascade'

/** Encodes the document of `svc cascade`. */
export const encodeCascade = ({ paired, asked, questions }: Cascade): Draft => {
  const encoded = new Map<string, Draft>()
  for (const [id, question] of questions) encoded.set(id, encodeQuestion(question))
  return roundNumbers({ paired, asked, questions: encoded })
}

const encodeQuestion = ({ needs, n, points, cut, why }: QuestionCascade): Draft => ({
  needs,
  n,
  points: points.map((point) => ({ ...point, interval: point.interval && { ...point.interval } })),
  cut: cut && { at: cut.at, asked: cut.asked, low: cut.low },
  why,
})

/** Encodes the policy of a cascade. It accepts answers of a at or above the cut. Its outcome `review` means: ask b. */
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
      n: question.n,
    })
  return roundNumbers({ questions: policies })
}

const encodeCut = ({ cut, accepted, needs, why }: QuestionCascade): Draft => ({
  at: cut === null ? null : cut.at,
  scale: 'top',
  n: accepted,
  share: cut === null ? 0 : 1 - cut.asked,
  low: null,
  target: null,
  needs: needs ?? undefined,
  why,
})

/** Formats the output of `svc cascade --table`: a sentence and a table of thresholds for each question. */
export const tabulateCascade = ({ paired, asked, questions }: Cascade, margin: number): string => {
  const counts = `${formatCount(paired, 'row')} paired; b is asked about ${formatWholePercent(asked)} of them`
  const paragraphs = [...questions].map(([id, question]) => {
    const sentence = sanitize(`${id}: ${describeQuestionCascade(question, margin)}`)
    return `${sentence}\n${tabulateCurve(question)}`
  })
  return [counts, ...paragraphs].join('\n\n')
}

/** Describes the cut of a question, or the reason why it has none, in a sentence without full stop. */
export const describeQuestionCascade = (
  { cut, why, n }: QuestionCascade,
  margin: number,
): string =>
  cut === null
    ? `no cut: ${why}`
    : `a answers if its largest probability is at least ${cut.at}, and b is asked about the other ${formatWholePercent(cut.asked)} of rows; by ${formatCount(n, 'label')}, the accuracy falls by at most ${formatPoints(margin)}`

const formatPoints = (share: number): string => `${Number((share * 100).toPrecision(3))} points`

const tabulateCurve = ({ points, cut }: QuestionCascade): string => {
  if (points.length === 0) return ''
  const hasCost = points.some(({ cost }) => cost !== undefined)
  const columns = ['a answers from', 'b is asked', 'right', 'change', 'at least']
  return alignTable(
    1,
    [...columns, ...(hasCost ? ['cost'] : []), ''],
    points.map((point) => [
      ...formatPointCells(point),
      ...(hasCost ? [String(point.cost ?? '–')] : []),
      cut !== null && point.at === cut.at ? '← cut' : '',
    ]),
  )
}

const formatPointCells = ({
  at,
  asked,
  accuracy,
  change,
  low,
}: PricedPoint): ReadonlyArray<string> => [
  at === null ? 'b only' : String(Number(at.toPrecision(6))),
  formatWholePercent(asked),
  `${(accuracy * 100).toFixed(1)} %`,
  at === null ? '' : `${(change * 100).toFixed(1)}`,
  at === null ? '' : `≥ ${(low * 100).toFixed(1)}`,
]
