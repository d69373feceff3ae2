import { describeCascadeRows, describeQuestionCascade } from '../cascade/cascade-document'
import type { Cascade, PricedPoint, QuestionCascade } from '../cascade/measure-cascade'
import { formatTenthPercent } from '../format-figures'
import type { Interval } from '../statistics/intervals'
import { formatHtmlDocument } from './html-document'
import { escapeText, formatCell, formatDetails, formatPercentCell, formatTable } from './markup'
import {
  type Diagram,
  diagramHeight,
  drawAxes,
  drawDot,
  drawPath,
  drawSegment,
  drawSvg,
  type Point,
  toX,
  toY,
} from './plot'
import { formatDiagramElement, formatSentence } from './section'

/** The files and options of `svc cascade` that the page shows. */
interface CascadeOrigin {
  /** The file of the cheap run. The page calls its model a, and that of the expensive run b. */
  readonly a: string
  /** The file of the expensive run. */
  readonly b: string
  /** The label file; `undefined` if the labels are in the run. */
  readonly labels: string | undefined
  /** The maximum loss of accuracy compared with asking only b, from 0 to 1. */
  readonly margin: number
  /** The required confidence that no more accuracy is lost, from 0 to 1. */
  readonly confidence: number
  readonly version: string
}

/**
 * Formats the HTML page of a cascade, in which a cheap model answers the rows that it is sure of, and an expensive one the others.
 * For each question the page has the cut (the threshold for cheap answers), a table of the tested thresholds, and the curve of cost
 * and accuracy.
 */
export const formatCascadePage = (cascade: Cascade, origin: CascadeOrigin): string => {
  const { questions } = cascade
  const sections = [...questions].map(([id, question]) => formatQuestionCascade(id, question))
  return formatHtmlDocument(
    'svc cascade',
    `<h1>Which rows need the expensive model?</h1>
${formatOrigin(origin)}
<p>${formatSentence(describeCascadeRows(cascade))}.</p>
${sections.join('\n')}
<section><h2>What to do next</h2><ol>
<li>If there is a cut, write it to a policy with <code>svc cascade -o policy.json</code>. <code>svc batch --policy policy.json</code> then gives each answer of a the outcome <code>accept</code> or <code>review</code>.</li>
<li>To keep the accepted answers and ask b about the other rows, use <code>svc batch --reuse</code> with <code>--reuse-where</code>.</li>
<li>If there is no cut, label more rows: draw them with <code>svc sample --for measure</code>, a larger <code>-n</code>, the same <code>--seed</code>, and <code>--labels</code>.</li>
</ol></section>`,
  )
}

const formatOrigin = ({ a, b, labels, margin, confidence, version }: CascadeOrigin): string => {
  const method = `accuracy may fall by at most ${formatCell(margin * 100)} points, with ${formatPercentCell(confidence)} confidence; svc ${version}`
  return formatDetails([
    ['a', `${a} (cheap)`],
    ['b', `${b} (expensive)`],
    ['labels', labels ?? 'in a'],
    ['method', method],
  ])
}

const formatQuestionCascade = (id: string, question: QuestionCascade): string => {
  const sentences = describeQuestionCascade(question).map((sentence) =>
    formatSentence(`${sentence.replace(/^no cut/, 'No cut')}.`),
  )
  const hasPoints = question.points.length > 0
  const table = hasPoints ? formatPointTable(id, question) : ''
  const diagram = hasPoints ? formatDiagramElement(id, drawCurve(question)) : ''
  return `<section>
<h2>${escapeText(id)} <span class="soft">${question.type}, ${question.labelledCount} labelled</span></h2>
<p>${sentences.join(' ')}</p>
${table}
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
  return `${table}<p class="soft">a answers the rows in which its largest probability is at least the number in the first column, and b answers the others. “points” is the change in accuracy compared with asking only b, and “at least” is its lower bound.${hasCost ? ' “cost” is the cost of all paired rows.' : ''}</p>`
}

/** Formats the cells of a tested threshold. The point without a threshold is that of asking only b. */
const formatPointCells = (point: PricedPoint): ReadonlyArray<string> => {
  const { at: threshold, asked, accuracy, change, low } = point
  const askedCell = formatPercentCell(asked)
  const accuracyCell = formatTenthPercent(accuracy)
  if (threshold === null) return ['b only', askedCell, accuracyCell, '–', '–']
  const changeCells = [change, low].map((value) => (value * 100).toFixed(1))
  return [formatCell(threshold), askedCell, accuracyCell, ...changeCells]
}

/** Draws the accuracy against the cost, or against the share of rows that b is asked about if a cost is unknown. */
const drawCurve = ({ points, cut }: QuestionCascade): Diagram => {
  const costs = points.map(({ cost }) => cost ?? null)
  const isPriced = costs.every((cost) => cost !== null)
  const maxCost = Math.max(...costs.map((cost) => cost ?? 0))
  const locatePoint = ({ asked, cost, accuracy }: PricedPoint): Point => {
    const xValue = isPriced && maxCost > 0 ? (cost ?? 0) / maxCost : asked
    return [toX(xValue), toY(accuracy)]
  }
  const xTitle = isPriced
    ? `cost, as a share of ${formatCell(maxCost)}`
    : 'share of rows that b is asked about'
  const line = points.map(locatePoint)
  const dots = points.map((point) => {
    const isCut = cut !== null && point.at === cut.at
    return drawAccuracy(locatePoint(point), point.interval, isCut)
  })
  const title = 'Cost and accuracy'
  const content = [drawAxes(xTitle, 'share of right answers'), drawPath(line, 'series'), ...dots]
  return {
    title,
    caption: `Each dot is a threshold. Across: ${xTitle}. Up: share of right answers, with its 95 % interval.${cut === null ? '' : ' The large dot is the cut.'}`,
    svg: drawSvg(title, diagramHeight, content.join('')),
    table: {
      columns: [isPriced ? 'cost' : 'b is asked', 'right', 'low', 'high'],
      rows: points.map(({ asked, cost, accuracy, interval }) => [
        isPriced ? formatCell(cost ?? null) : formatPercentCell(asked),
        ...[accuracy, interval.low, interval.high].map(formatPercentCell),
      ]),
    },
  }
}

/** Draws the accuracy of a threshold as a dot, with its interval. The dot of the cut is larger. */
const drawAccuracy = (point: Point, interval: Interval, isCut: boolean): string => {
  const [x] = point
  const bar = drawSegment([x, toY(interval.low)], [x, toY(interval.high)], 'bar')
  return bar + drawDot(point, isCut ? 7 : 4)
}
