import { formatCount } from '../../text/table'
import { listFigureCells, type QuestionFigures } from '../evaluate/figures'
import type { PassingRows } from '../evaluate/passing-rows'
import { describeInWords } from '../evaluate/sentences'
import type { ConfidentError } from '../rows/labelled-run'
import type { QuestionShares } from '../share/shares'
import { sumByIndex } from '../statistics/numbers'
import { formatConfusion } from './confusion'
import { drawDiagrams } from './diagrams'
import { escapeText, formatCell, formatPercentCell, formatTable } from './markup'
import type { Diagram } from './plot'

/** A question with its figures, and how many rows can pass without a person. */
export interface AssessedQuestion {
  readonly figures: QuestionFigures
  readonly passing: PassingRows
}

/** Returns the text of a wrongly answered row; `undefined` if the page shows no texts. */
export type ErrorTextOf = ((error: ConfidentError) => string) | undefined

/**
 * Formats the section about a question. `anchor` is the `id` attribute of its heading, for links to the section. `shares` are left
 * out if they are `undefined`.
 */
export const formatQuestionSection = (
  anchor: string,
  id: string,
  { figures, passing }: AssessedQuestion,
  shares: QuestionShares | undefined,
  textOf: ErrorTextOf,
): string => {
  const { rows } = figures
  const diagrams = drawDiagrams(figures).map((diagram) => formatDiagramElement(id, diagram))
  const items = passing.lines.map((line) => `<li>${formatSentence(line)}</li>`)
  return `<section>
<h2 id="${anchor}">${escapeText(id)} <span class="soft">${figures.type}, ${figures.labelledRows} labelled</span></h2>
<p>${formatSentence(describeInWords(figures))}</p>
<ul>${items.join('')}</ul>
${formatQuestionShares(id, shares)}
<div class="diagrams">
${diagrams.join('\n')}
</div>
${figures.confusionMatrix === null ? '' : formatConfusion(id, rows)}
<details class="figures"><summary>All figures of ${escapeText(id)}</summary>${formatFiguresTable(id, figures)}${formatLabelFigures(id, figures)}</details>
${formatConfidentErrors(id, rows.confidentErrors, textOf)}
</section>`
}

/** Formats the table of the share of each label among all rows, and of the mean level of a score. Empty without any estimate. */
const formatQuestionShares = (id: string, question: QuestionShares | undefined): string => {
  if (question === undefined) return ''
  const { rowCount, labelledCount, shares, mean } = question
  const shareRows = [...(shares ?? [])].map(([label, { estimate, low, high }]) => [
    label,
    ...[estimate, low, high].map(formatPercentCell),
  ])
  if (mean !== undefined)
    shareRows.push(['mean level', ...[mean.estimate, mean.low, mean.high].map(formatCell)])
  if (shareRows.length === 0) return ''
  const table = formatTable(`Shares of ${id}`, {
    columns: ['label', 'share', '95 % from', 'to'],
    rows: shareRows,
    textColumns: ['label'],
  })
  const source =
    labelledCount === rowCount
      ? `All ${formatCount(rowCount, 'answered row')} have labels, so the shares are exact.`
      : `The share of each label among ${formatCount(rowCount, 'answered row')}, estimated from all answers and ${formatCount(labelledCount, 'label')}.`
  return `<h3>Shares of all rows</h3>${table}<p class="soft">${source} <code>svc share</code> prints these figures too.</p>`
}

/** Escapes a sentence. No-break spaces keep percent signs on the line of their numbers. */
export const formatSentence = (text: string): string => escapeText(text).replaceAll(' %', '\u00a0%')

/**
 * Formats a diagram about the question `id`, with its caption and a table of its data that can be unfolded. `cssClass` is `wide` for a
 * diagram that has a line of the page for itself.
 */
export const formatDiagramElement = (
  id: string,
  { title, caption, svg, table }: Diagram,
  cssClass?: 'wide',
): string => `<figure${cssClass === undefined ? '' : ` class="${cssClass}"`}>
<h3>${escapeText(title)}</h3>
${svg}
<figcaption class="soft"><p>${escapeText(caption)}</p></figcaption>
<details><summary>Show as a table</summary>${formatTable(`${title} of ${id}`, table)}</details>
</figure>`

/** The figures that are shown in percent. */
const percentFigures: ReadonlySet<string> = new Set([
  'accuracy',
  'precision',
  'recall',
  'balanced_accuracy',
  'exact',
  'adjacent',
  'ece',
  'ece_expected',
  'ece_limit',
])

/** The meaning of each figure, in one line. */
const meanings: Readonly<Record<string, string>> = {
  positives: 'rows with the label yes',
  accuracy: 'share of right answers',
  precision: 'share of the answers that decide for yes that are right',
  recall: 'share of the rows with the label yes that are found',
  balanced_accuracy: 'mean recall of the labels',
  macro_f1: 'mean F1 of the labels; F1 combines precision and recall',
  brier_score: 'mean squared error of the probabilities; 0 is best',
  log_loss: 'mean −ln of the probability of the right label; 0 is best',
  roc_auc: 'probability that a yes has a larger probability than a no; 0.5 is chance',
  average_precision: 'mean precision over all levels of recall; 1 is best',
  ece: 'calibration error: mean distance between probabilities and observed shares; 0 is best',
  ece_expected: 'the mean ece of perfect probabilities, which is above 0 by chance',
  ece_limit: 'perfect probabilities have an ece of at most this in 95 % of cases',
  exact: 'share of rows with the right level',
  adjacent: 'share of rows that are at most one level off',
  mean_absolute_error: 'mean distance between the score and the right level; 0 is best',
  ranked_probability_score: 'mean squared error of the cumulative probabilities; 0 is best',
  quadratic_kappa: 'agreement beyond chance; larger distances of levels count more; 1 is best',
}

/** Formats the table of figures. It has a column `why` if a figure or an interval is missing. */
export const formatFiguresTable = (name: string, question: QuestionFigures): string => {
  const { eceLimit } = question
  const formatValue = (value: number | null, figure: string): string =>
    percentFigures.has(figure) ? formatPercentCell(value) : formatCell(value)
  const figureRows = [...listFigureCells(question, formatValue)]
  if (eceLimit !== null) figureRows.push(['ece_limit', formatValue(eceLimit, 'ece_limit'), '', ''])
  const hasReasons = figureRows.some(([figure = '']) => figure in question.reasons)
  const columns = ['figure', 'value', '95 % from', 'to', 'meaning']
  return formatTable(`Figures of ${name}`, {
    columns: hasReasons ? [...columns, 'why'] : columns,
    rows: figureRows.map((cells) => {
      // Every row begins with the name of its figure. `''` is only for the compiler.
      const [figure = ''] = cells
      const row = [...cells, meanings[figure] ?? '']
      return hasReasons ? [...row, question.reasons[figure] ?? ''] : row
    }),
    textColumns: ['meaning', 'why'],
    stacks: true,
  })
}

/** Formats the table of precision, recall and F1 of each label. */
const formatLabelFigures = (id: string, { rows, perClass }: QuestionFigures): string => {
  if (perClass === null) return ''
  const labelCounts = sumByIndex(rows.truth, rows.labels.length)
  return `<h3>Labels</h3>${formatTable(`Labels of ${id}`, {
    columns: ['label', 'precision', 'recall', 'F1', 'rows'],
    rows: perClass.map(({ label, precision, recall, f1 }, i) => [
      label,
      formatPercentCell(precision),
      formatPercentCell(recall),
      formatCell(f1),
      String(labelCounts[i]),
    ]),
  })}`
}

/** Formats the table of wrong answers with the highest probabilities; empty if there are none. */
const formatConfidentErrors = (
  id: string,
  errors: ReadonlyArray<ConfidentError>,
  textOf: ErrorTextOf,
): string => {
  if (errors.length === 0) return ''
  const hasIds = errors.some((error) => error.id !== undefined)
  const columns = ['label', 'answer', 'probability', 'index']
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
  const table = {
    columns,
    rows,
    textColumns: ['text'],
    wordColumns: ['label', 'answer', 'id'],
    stacks: true,
  }
  return `<h3>The most confident errors</h3><div class="errors">${formatTable(`The most confident errors of ${id}`, table)}</div>`
}
