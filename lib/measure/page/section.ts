import { formatCount } from '../../failure/text/table'
import { formatFigureRows, type QuestionFigures } from '../evaluate/figures'
import { describeInWords, describePassingRows } from '../evaluate/sentences'
import type { ConfidentError, LabelledRows } from '../rows/labelled-run'
import type { QuestionShares } from '../share/shares'
import { formatConfusion } from './confusion'
import type { Diagram } from './diagram'
import { drawDiagrams } from './diagrams'
import { escapeText, formatCell, formatPercentCell, formatTable } from './markup'

/** The data of the page's section about one question. */
export interface QuestionSection {
  /** The anchor of the section. */
  readonly name: string
  readonly id: string
  readonly figures: QuestionFigures
  readonly rows: LabelledRows
  readonly shares: QuestionShares | undefined
  readonly textOf: ((error: ConfidentError) => string) | undefined
}

/** Formats the section about one question: sentences, shares, figures, diagrams, labels and errors. */
export const formatQuestionSection = (section: QuestionSection): string => {
  const { name, id, figures, rows, shares, textOf } = section
  const diagrams = drawDiagrams(figures).map((diagram) => formatDiagramElement(id, diagram))
  return `<section>
<h2 id="${name}">${escapeText(id)} <span class="soft">${figures.type}, ${figures.n} labelled</span></h2>
<p>${formatSentence(describeInWords(rows, figures))}</p>
<ul>${describePassingRows(rows)
    .map((line) => `<li>${formatSentence(line)}</li>`)
    .join('')}</ul>
${formatQuestionShares(id, shares)}${formatFiguresTable(id, figures)}
<div class="diagrams">
${diagrams.join('\n')}
</div>
${figures.confusion === null ? '' : formatConfusion(id, rows)}${formatLabelFigures(id, rows, figures)}${formatConfidentErrors(id, rows.errors, textOf)}
</section>`
}

/** Formats the table of the share of all rows that has each label; empty if shares cannot be estimated. */
const formatQuestionShares = (id: string, question: QuestionShares | undefined): string => {
  const { rows = 0, labelled = 0, shares, mean } = question ?? {}
  const estimates = [...(shares ?? [])]
  if (estimates.length === 0 && mean === undefined) return ''
  const lines = estimates.map(([label, { estimate, low, high }]) => [
    label,
    ...[estimate, low, high].map(formatPercentCell),
  ])
  const average =
    mean === undefined
      ? []
      : [['mean level', ...[mean.estimate, mean.low, mean.high].map(formatCell)]]
  const table = formatTable(`Shares of ${id}`, {
    columns: ['label', 'share', '95 % from', 'to'],
    rows: [...lines, ...average],
    text: [0],
  })
  const source =
    labelled === rows
      ? `Every one of the ${formatCount(rows, 'answered row')} has a label, so the shares are exact.`
      : `How many of all ${formatCount(rows, 'answered row')} have each label, estimated from every answer and from ${formatCount(labelled, 'label')}.`
  return `<h3>Shares of all rows</h3>${table}<p class="soft">${source} <code>svc share</code> prints the same.</p>`
}

/** Escapes a sentence, and keeps numbers beside their percent signs. */
export const formatSentence = (text: string): string => escapeText(text).replaceAll(' %', '\u00a0%')

export const formatDiagramElement = (
  id: string,
  { title, caption, svg, table }: Diagram,
): string => `<figure>
<h3>${escapeText(title)}</h3>
${svg}
<figcaption class="soft"><p>${escapeText(caption)}</p></figcaption>
<details><summary>The same as a table</summary>${formatTable(`${title} of ${id}`, table)}</details>
</figure>`

/** The figures that are shown in percent. */
const percentFigures: ReadonlySet<string> = new Set([
  'accuracy',
  'balanced_accuracy',
  'exact',
  'adjacent',
  'ece',
  'ece_expected',
  'ece_limit',
])

/** Formats the table of figures, with a column `why` if a figure or an interval is missing. */
export const formatFiguresTable = (name: string, question: QuestionFigures): string => {
  const { eceLimit, why } = question
  const known = formatFigureRows(question, (value, figure) =>
    percentFigures.has(figure) ? formatPercentCell(value) : formatCell(value),
  )
  const rows = [
    ...known,
    ...(eceLimit === null ? [] : [['ece_limit', formatPercentCell(eceLimit), '', '']]),
  ].map((cells) => [...cells, meanings[cells[0] ?? ''] ?? '', why[cells[0] ?? ''] ?? ''])
  const columns = ['figure', 'value', '95 % from', 'to', 'what it is', 'why']
  const width = rows.some((cells) => cells.at(-1) !== '') ? columns.length : columns.length - 1
  return formatTable(`Figures of ${name}`, {
    columns: columns.slice(0, width),
    rows: rows.map((cells) => cells.slice(0, width)),
    text: [4, 5],
  })
}

/** The meaning of each figure, in one line. */
const meanings: Readonly<Record<string, string>> = {
  positives: 'rows whose label is yes',
  accuracy: 'share of rows that are right',
  balanced_accuracy: 'mean over the labels of how many of their rows are found',
  macro_f1: 'mean over the labels of F1, which weighs what is found against what is found wrongly',
  brier_score: 'mean squared distance of the probabilities from what came true; 0 is best',
  log_loss: 'how surprised the probabilities are by what came true; 0 is best',
  roc_auc: 'how often a yes has a larger probability than a no; 0.5 is chance',
  average_precision: 'precision on the way from the surest yes to the last one found',
  ece: 'mean distance between probabilities and how often they come true',
  ece_expected: 'what that distance would be by chance if the probabilities were perfect',
  ece_limit: 'what it would not exceed in 95 % of cases if they were perfect',
  exact: 'share of rows with the right level',
  adjacent: 'share of rows that are at most one level off',
  mean_absolute_error: 'mean distance of the score from the right level',
  ranked_probability_score: 'mean squared distance of the cumulated probabilities; 0 is best',
  quadratic_kappa: 'agreement beyond chance, where far levels count more; 1 is best',
}

/** Formats the table of precision, recall and F1 of each label. */
const formatLabelFigures = (
  id: string,
  { labels, truth }: LabelledRows,
  { perClass: classes }: QuestionFigures,
): string => {
  if (classes === null) return ''
  const counts = labels.map(() => 0)
  for (let i = 0; i < truth.length; i++) {
    const label = truth[i] as number
    counts[label] = (counts[label] ?? 0) + 1
  }
  return `<h3>Labels</h3>${formatTable(`Labels of ${id}`, {
    columns: ['label', 'precision', 'recall', 'F1', 'rows'],
    rows: classes.map(({ label, precision, recall, f1 }, place) => [
      label,
      formatPercentCell(precision),
      formatPercentCell(recall),
      formatCell(f1),
      String(counts[place]),
    ]),
  })}`
}

const formatConfidentErrors = (
  id: string,
  errors: ReadonlyArray<ConfidentError>,
  textOf: ((error: ConfidentError) => string) | undefined,
): string => {
  if (errors.length === 0) return ''
  const hasIds = errors.some((error) => error.id !== undefined)
  const columns = ['should be', 'said', 'sure', 'index']
  const rows = errors.map((error) => [
    error.truth,
    error.decided,
    formatPercentCell(error.probability),
    String(error.index),
    ...(hasIds ? [error.id ?? ''] : []),
    ...(textOf === undefined ? [] : [textOf(error)]),
  ])
  if (hasIds) columns.push('id')
  if (textOf !== undefined) columns.push('text')
  const table = { columns, rows, text: [0, 1, 4, 5] }
  return `<h3>The most confident errors</h3><div class="errors">${formatTable(`The most confident errors of ${id}`, table)}</div>`
}
