import type { Evaluation } from '../evaluate'
import { type QuestionFigures, writeFigures } from '../figures'
import type { ConfidentError, LabelledRows } from '../labelled'
import { describeInWords } from '../sentences'
import type { Diagram, TableOf } from './diagram'
import { drawDiagrams } from './diagrams'
import { escapeText, formatCell } from './markup'
import { colours, diagramStyle, pageStyle } from './style'

/**
 * Writes the HTML page of a run's figures: a single file without scripts or anything loaded from elsewhere. R20
 */
export const writePage = ({ run, draws, questions, groups }: Evaluation): string => {
  const models = run.models.map(escapeText).join(', ')
  const digests = run.questionsSha256.map((digest) => digest.slice(0, 12)).join(', ')
  const questionText = digests === '' ? '' : ` Questions ${digests}.`
  const counts = `${run.rows} rows, ${run.answered} answered by ${models}, ${run.labelled} labelled.${questionText}`
  const about = `Intervals are 95 %: Wilson’s for shares of rows, else a bootstrap of ${draws.draws} draws with seed ${draws.seed}.`
  const sections = [...questions].flatMap(([id, figures]) => {
    const rows = run.questions.get(id)
    return rows === undefined ? [] : [writeSection(id, figures, rows)]
  })
  const grouped = [...(groups ?? [])].map(
    ([name, ofGroup]) =>
      `<h2>Group ${escapeText(name)}</h2>${[...ofGroup].map(([id, figures]) => `<h3>${escapeText(id)}</h3>${writeFiguresTable(figures)}`).join('')}`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>svc eval</title>
<style>${colours}${diagramStyle}${pageStyle}</style>
</head>
<body>
<h1>svc eval</h1>
<p>${counts} <span class="soft">${about}</span></p>
${[...sections, ...grouped].join('\n')}
</body>
</html>
`
}

const writeSection = (id: string, figures: QuestionFigures, rows: LabelledRows): string => {
  const diagrams = drawDiagrams(figures).map(writeDiagram).join('\n')
  return `<h2>${escapeText(id)} <span class="soft">${figures.type}, ${figures.n} labelled</span></h2>
<p>${escapeText(describeInWords(rows, figures))}</p>
${writeFiguresTable(figures)}
<div class="diagrams">
${diagrams}
</div>
${writeLabels(figures)}${writeErrors(rows.errors)}`
}

const writeDiagram = ({ title, caption, svg, table }: Diagram): string => `<figure>
<h3>${escapeText(title)}</h3>
${svg}
<figcaption class="soft"><p>${escapeText(caption)}</p></figcaption>
<details${svg === '' ? ' open' : ''}><summary>The same as a table</summary>${writeTable(table)}</details>
</figure>`

/** Writes the table of figures. It has the column `why` only where a figure is null or has no interval. */
const writeFiguresTable = (question: QuestionFigures): string => {
  const { figures, why } = question
  const columns = ['figure', 'value', '95 % from', 'to', 'what it is']
  const meant = Object.keys(figures).map((name) => meanings[name] ?? '')
  const rows = writeFigures(question, formatCell).map((cells, i) => [...cells, meant[i] ?? ''])
  const reasons = Object.keys(figures).map((name) => why[name] ?? '')
  if (reasons.every((reason) => reason === '')) return writeTable({ columns, rows, text: [4] })
  return writeTable({
    columns: [...columns, 'why'],
    rows: rows.map((cells, i) => [...cells, reasons[i] ?? '']),
    text: [4, 5],
  })
}

/** What each figure is, in one line. R33 */
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
  exact: 'share of rows with the right level',
  adjacent: 'share of rows that are at most one level off',
  mean_absolute_error: 'mean distance of the score from the right level',
  ranked_probability_score: 'mean squared distance of the cumulated probabilities; 0 is best',
  quadratic_kappa: 'agreement beyond chance, where far levels count more; 1 is best',
}

const writeLabels = ({ perClass: classes }: QuestionFigures): string =>
  classes === null
    ? ''
    : `<h3>Labels</h3>${writeTable({
        columns: ['label', 'precision', 'recall', 'F1', 'support'],
        rows: classes.map(({ label, precision, recall, f1, support }) => [
          label,
          ...[precision, recall, f1, support].map(formatCell),
        ]),
      })}`

const writeErrors = (errors: ReadonlyArray<ConfidentError>): string =>
  errors.length === 0
    ? ''
    : `<h3>The most confident errors</h3>${writeTable({
        columns: ['index', 'id', 'right', 'decided', 'probability'],
        rows: errors.map(({ index, id, truth, decided, probability }) => [
          String(index),
          id ?? '',
          truth,
          decided,
          formatCell(probability),
        ]),
        text: [1, 2, 3],
      })}`

const writeTable = ({ columns, rows, text = [] }: TableOf): string => {
  const cell = (tag: 'th' | 'td') => (content: string, k: number) =>
    `<${tag}${text.includes(k) ? ' class="text"' : ''}>${escapeText(content)}</${tag}>`
  const line = (tag: 'th' | 'td', cells: ReadonlyArray<string>): string =>
    `<tr>${cells.map(cell(tag)).join('')}</tr>`
  return `<div class="scroll"><table><thead>${line('th', columns)}</thead><tbody>${rows.map((row) => line('td', row)).join('')}</tbody></table></div>`
}
