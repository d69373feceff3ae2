import { sanitize } from '../../failure/text/sanitize'
import { alignTable, formatCount } from '../../failure/text/table'
import { formatFigure } from '../format-figures'
import type { Evaluation } from './evaluation'
import { formatFigureRows, type QuestionFigures } from './figures'
import { describeInWords, describePassingRows } from './sentences'

/** Formats the output of `svc eval --table`: sentences about each question, then a table of all figures. */
export const tabulateEvaluation = ({ run, questions, groups }: Evaluation): string => {
  const counts = `${formatCount(run.rowCount, 'row')}, ${run.answeredCount} answered, ${run.labelledCount} labelled`
  const grouped = [...(groups ?? [])].map(
    ([name, figures]) => `group ${sanitize(name)}\n${tabulateFigures(figures)}`,
  )
  const sentences = [...questions].flatMap(([id, figures]) => {
    const rows = run.questions.get(id)
    if (rows === undefined) return []
    const lines = describePassingRows(rows).map((line) => `  ${line}`)
    return [sanitize(`${id}: ${describeInWords(rows, figures)}`), ...lines]
  })
  return [counts, sentences.join('\n'), tabulateFigures(questions), ...grouped].join('\n\n')
}

const tabulateFigures = (questions: ReadonlyMap<string, QuestionFigures>): string =>
  alignTable(
    2,
    ['question', 'figure', 'value', '95 % from', 'to'],
    [...questions].flatMap(([id, figures]) => [
      [`${id} (${figures.type})`, 'n', String(figures.labelledRows), '', ''],
      ...formatFigureRows(figures, formatFigure).map((cells) => ['', ...cells]),
      ['', 'baseline', formatFigure(figures.baseline.accuracy), '', ''],
    ]),
  )
