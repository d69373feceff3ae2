import { formatCount } from '../../failure/text/table'
import { describeQuestionCascade } from '../cascade/cascade-document'
import type { Cascade, PricedPoint, QuestionCascade } from '../cascade/measure-cascade'
import { type Diagram, drawAxes, drawDot, drawPath, drawSegment, drawSvg, x, y } from './diagram'
import { formatHtmlDocument } from './html-document'
import { escapeText, formatCell, formatDetails, formatPercentCell, formatTable } from './markup'
import { formatDiagramElement, formatSentence } from './section'

/** The sources and requirements of the cascade. */
export interface CascadeOrigin {
  /** The names of the files of both runs and of the labels. */
  readonly a: string
  readonly b: string
  readonly labels: string | undefined
  readonly margin: number
  readonly confidence: number
  readonly version: string
}

/** Formats the HTML page of a cascade: for each question its cut, the curve of cost against accuracy, and the points. */
export const formatCascadePage = (cascade: Cascade, origin: CascadeOrigin): string => {
  const { paired, asked, questions } = cascade
  const sections = [...questions].map(([id, one]) => formatQuestionCascade(id, one, origin.margin))
  return formatHtmlDocument(
    'svc cascade',
    `<h1>Which rows need the expensive model?</h1>
${formatOrigin(origin)}
<p>${formatCount(paired, 'row')} paired; b is asked about ${formatPercentCell(asked)} of them.</p>
${sections.join('\n')}
<section><h2>What to do next</h2><ol>
<li>If a cut was found, <code>svc cascade -o policy.json</code> writes it down, and <code>svc batch --policy policy.json</code> gives the answers of a an outcome: <code>accept</code> or <code>review</code>.</li>
<li><code>svc batch --reuse</code> with <code>--reuse-where</code> keeps what is accepted and asks b about the other rows.</li>
<li>If no cut was found, label more rows: <code>svc sample --for measure</code> with a larger <code>-n</code>, the same <code>--seed</code>, and <code>--labels</code>.</li>
</ol></section>`,
  )
}

const formatOrigin = (origin: CascadeOrigin): string => {
  const { a, b, labels, margin, confidence, version } = origin
  const lines = [
    ['a', `${a} (cheap)`],
    ['b', `${b} (expensive)`],
    ['labels', labels ?? 'of a'],
    [
      'method',
      `accuracy may fall by at most ${formatCell(margin * 100)} points, shown with ${formatPercentCell(confidence)} confidence; svc ${version}`,
    ],
  ]
  return formatDetails(lines)
}

const formatQuestionCascade = (id: string, question: QuestionCascade, margin: number): string => {
  const sentence = describeQuestionCascade(question, margin)
  const diagram = question.points.length === 0 ? '' : formatDiagramElement(id, drawCurve(question))
  return `<section>
<h2>${escapeText(id)} <span class="soft">${question.type}, ${question.n} labelled</span></h2>
<p>${formatSentence(`${sentence.replace(/^no cut/, 'No cut')}.`)}</p>
${question.points.length === 0 ? '' : formatPointTable(id, question)}
<div class="diagrams">${diagram}</div>
</section>`
}

const formatPointTable = (id: string, { points, cut }: QuestionCascade): string => {
  const hasCost = points.some(({ cost }) => cost !== undefined)
  const columns = ['a answers from', 'b is asked', 'right', 'points', 'at least']
  const table = formatTable(`Thresholds of ${id}`, {
    columns: [...columns, ...(hasCost ? ['cost'] : []), 'cut'],
    rows: points.map((point) => [
      ...formatPointCells(point),
      ...(hasCost ? [formatCell(point.cost ?? null)] : []),
      cut !== null && point.at === cut.at ? 'yes' : '',
    ]),
  })
  return `${table}<p class="soft">a answers a row if its largest probability reaches the first column. The columns “points” and “at least” say how far the accuracy then is from that of b only, and the worst that the labels leave possible.${hasCost ? ' The cost is that of all paired rows.' : ''}</p>`
}

const formatPointCells = ({ at, asked, accuracy, change, low }: PricedPoint) => [
  at === null ? 'b only' : formatCell(at),
  formatPercentCell(asked),
  `${(accuracy * 100).toFixed(1)} %`,
  at === null ? '–' : (change * 100).toFixed(1),
  at === null ? '–' : (low * 100).toFixed(1),
]

/** Draws the accuracy against the share of rows that b is asked about, or against the cost if it is known. */
const drawCurve = ({ points, cut }: QuestionCascade): Diagram => {
  const costs = points.map(({ cost }) => cost ?? null)
  const isPriced = costs.every((cost) => cost !== null)
  const maxCost = Math.max(...costs.map((cost) => cost ?? 0))
  const positionOf = ({ asked, cost }: PricedPoint): number =>
    isPriced && maxCost > 0 ? (cost ?? 0) / maxCost : asked
  const across = isPriced
    ? `cost, as a share of ${formatCell(maxCost)}`
    : 'share of rows that b is asked'
  const drawn = points.map((point) => {
    const { interval, accuracy } = point
    const position = x(positionOf(point))
    const bar =
      interval && drawSegment([position, y(interval.low)], [position, y(interval.high)], 'bar')
    const isCut = cut !== null && point.at === cut.at
    return `${bar ?? ''}${drawDot([position, y(accuracy)], isCut ? 7 : 4)}`
  })
  const line = points.map((point) => [x(positionOf(point)), y(point.accuracy)] as const)
  const title = 'Cost and accuracy'
  return {
    title,
    caption: `Each dot is a threshold: ${across}, against the share of right answers, with its 95 % interval.${cut === null ? '' : ' The large dot is the cut.'}`,
    svg: drawSvg(
      title,
      310,
      [drawAxes(across, 'share that is right'), drawPath(line, 'series'), ...drawn].join(''),
    ),
    table: {
      columns: [isPriced ? 'cost' : 'b is asked', 'right', 'low', 'high'],
      rows: points.map(({ asked, cost, accuracy, interval }) => [
        isPriced ? formatCell(cost ?? null) : formatPercentCell(asked),
        ...[accuracy, interval?.low ?? null, interval?.high ?? null].map(formatPercentCell),
      ]),
    },
  }
}
