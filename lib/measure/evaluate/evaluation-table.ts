import { sanitize } from '../../failure/text/sanitize'
import { alignTable, formatCount } from '../../failure/text/table'
import { formatFigure } from '../format-figures'
import type { Evaluation } from './evaluation'
import { formatFigureRows, type QuestionFigures } from './figures'
import { describeInWords, describePassingRows } from './sentences'

/** Formats the output of `svc eval --table`: sentences about each question, then a table of all figures. */
export const tabulateEvaluation = ({ run, questions, groups }: Evaluation): string => {
  const counts = `${formatCount(run.rowCount, 'row')}, ${run.answeredCount} answered, ${run.labelledCount} labelled`
  const groupTables = [...(groups ?? [])].map(
    ([name, figures]) => `group ${sanitize(name)}\n${tabulateFigures(figures)}`,
  )
  const sentences = [...questions].flatMap(([id, figures]) => {
    const questionRows = run.questions.get(id)
    // Every question with figures has rows. Only the type of the map allows for none.
    if (questionRows === undefined) return []
    const lines = describePassingRows(questionRows).map((line) => `  ${line}`)
    return [sanitize(`${id}: ${describeInWords(questionRows, figures)}`), ...lines]
  })
  return [counts, sentences.join('\n'), tabulateFigures(questions), ...groupTables].join('\n\n')
}

/** The columns of the table of figures that are text: the question and the figure. */
const textColumns = 2

const tabulateFigures = (questions: ReadonlyMap<string, QuestionFigures>): string =>
  alignTable(
    textColumns,
    ['question', 'figure', 'value', '95 % from', 'to'],
    [...questions].flatMap(([id, figures]) => [
      [`${id} (${figures.type})`, 'n', String(figures.labelledRows), '', ''],
      ...formatFigureRows(figures, formatFigure).map((cells) => ['', ...cells]),
      ['', 'baseline', formatFigure(figures.baseline.accuracy), '', ''],
    ]),
  )
