import { describeCascadeRows, describeQuestionCascade } from '../cascade/cascade-document'
import type { Cascade, PricedPoint, QuestionCascade } from '../cascade/measure-cascade'
import { formatTenthPercent } from '../format-figures'
import { drawCascadeCurve, formatPointCount } from './cascade-curve'
import { formatHtmlDocument } from './html-document'
import { escapeText, formatDetails, formatPercentCell, formatTable } from './markup'
import { createMoneyFormat } from './scale'
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
  const sections = [...questions].map(([id, question]) =>
    formatQuestionCascade(id, question, origin.margin),
  )
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
  const method = `accuracy may fall by at most ${formatPointCount(margin)}, with ${formatPercentCell(confidence)} confidence; svc ${version}`
  return formatDetails([
    ['a', `${a} (cheap)`],
    ['b', `${b} (expensive)`],
    ['labels', labels ?? 'in a'],
    ['method', method],
  ])
}

const formatQuestionCascade = (id: string, question: QuestionCascade, margin: number): string => {
  const sentences = describeQuestionCascade(question).map((sentence) =>
    formatSentence(`${sentence.replace(/^no cut/, 'No cut')}.`),
  )
  const hasPoints = question.points.length > 0
  const diagram = hasPoints
    ? formatDiagramElement(id, drawCascadeCurve(question, margin), 'wide')
    : ''
  const table = hasPoints ? formatPointTable(id, question) : ''
  return `<section>
<h2>${escapeText(id)} <span class="soft">${question.type}, ${question.labelledCount} labelled</span></h2>
<p>${sentences.join(' ')}</p>
${diagram}
${table}
</section>`
}

const formatPointTable = (id: string, { points, cut }: QuestionCascade): string => {
  const hasCost = points.some(({ cost }) => cost !== undefined)
  const formatMoney = createMoneyFormat(points.map(({ cost }) => cost ?? 0))
  const formatCost = (cost: number | null | undefined): string =>
    cost === undefined || cost === null ? '–' : formatMoney(cost)
  const columns = ['a answers from', 'b is asked', 'right', 'points', 'at least']
  const table = formatTable(`Thresholds of ${id}`, {
    columns: [...columns, ...(hasCost ? ['cost'] : []), 'cut'],
    rows: points.map((point) => [
      ...formatPointCells(point),
      ...(hasCost ? [formatCost(point.cost)] : []),
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
  return [threshold.toFixed(3), askedCell, accuracyCell, ...changeCells]
}
