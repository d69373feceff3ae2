import type { Evaluation } from '../evaluate'
import { type QuestionFigures, writeFigures } from '../figures'
import type { ConfidentError } from '../labelled'
import type { Diagram, TableOf } from './diagram'
import { diagramsOf } from './diagrams'
import { escaped, shown } from './markup'
import { colours, diagramStyle, pageStyle } from './style'

/**
 * Writes the HTML page of a run's figures: a single file without scripts or anything loaded from elsewhere. R20
 */
export const page = ({ run, draws, questions, groups }: Evaluation): string => {
  const counts = `${run.rows} rows, ${run.answered} answered, ${run.labelled} labelled.`
  const about = `Intervals are 95 %: Wilson’s for shares of rows, else a bootstrap of ${draws.draws} draws with seed ${draws.seed}.`
  const sections = [...questions].map(([id, figures]) =>
    section(id, figures, run.questions.get(id)?.errors ?? []),
  )
  const grouped = [...(groups ?? [])].map(
    ([name, ofGroup]) =>
      `<h2>Group ${escaped(name)}</h2>${[...ofGroup].map(([id, figures]) => `<h3>${escaped(id)}</h3>${figuresTable(figures)}`).join('')}`,
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

const section = (
  id: string,
  figures: QuestionFigures,
  errors: ReadonlyArray<ConfidentError>,
): string => {
  const { baseline } = figures
  const always =
    baseline.label === null
      ? 'No row has a label.'
      : `Always saying “${escaped(baseline.label)}” would be right in ${shown(baseline.accuracy)} of rows.`
  const diagrams = diagramsOf(figures).map(figureOf).join('\n')
  return `<h2>${escaped(id)} <span class="soft">${figures.type}, ${figures.n} labelled</span></h2>
<p>${always}</p>
${figuresTable(figures)}
<div class="diagrams">
${diagrams}
</div>
${perClass(figures)}${errorsTable(errors)}`
}

const figureOf = ({ title, caption, svg, table }: Diagram): string => `<figure>
<h3>${escaped(title)}</h3>
${svg}
<figcaption class="soft"><p>${escaped(caption)}</p></figcaption>
<details${svg === '' ? ' open' : ''}><summary>The same as a table</summary>${tableOf(table)}</details>
</figure>`

/** Writes the table of figures. It has the column `why` only where a figure is null. */
const figuresTable = (question: QuestionFigures): string => {
  const { figures, why } = question
  const columns = ['figure', 'value', '95 % from', 'to']
  const rows = writeFigures(question, shown)
  if (!Object.values(figures).includes(null)) return tableOf({ columns, rows })
  const reasons = Object.keys(figures).map((name) => why[name] ?? '')
  return tableOf({
    columns: [...columns, 'why'],
    rows: rows.map((cells, i) => [...cells, reasons[i] ?? '']),
    text: [4],
  })
}

const perClass = ({ perClass: classes }: QuestionFigures): string =>
  classes === null
    ? ''
    : `<h3>Labels</h3>${tableOf({
        columns: ['label', 'precision', 'recall', 'F1', 'support'],
        rows: classes.map(({ label, precision, recall, f1, support }) => [
          label,
          ...[precision, recall, f1, support].map(shown),
        ]),
      })}`

const errorsTable = (errors: ReadonlyArray<ConfidentError>): string =>
  errors.length === 0
    ? ''
    : `<h3>The most confident errors</h3>${tableOf({
        columns: ['index', 'id', 'right', 'decided', 'probability'],
        rows: errors.map(({ index, id, truth, decided, probability }) => [
          String(index),
          id ?? '',
          truth,
          decided,
          shown(probability),
        ]),
        text: [1, 2, 3],
      })}`

const tableOf = ({ columns, rows, text = [] }: TableOf): string => {
  const cell = (tag: 'th' | 'td') => (content: string, k: number) =>
    `<${tag}${text.includes(k) ? ' class="text"' : ''}>${escaped(content)}</${tag}>`
  const line = (tag: 'th' | 'td', cells: ReadonlyArray<string>): string =>
    `<tr>${cells.map(cell(tag)).join('')}</tr>`
  return `<div class="scroll"><table><thead>${line('th', columns)}</thead><tbody>${rows.map((row) => line('td', row)).join('')}</tbody></table></div>`
}
