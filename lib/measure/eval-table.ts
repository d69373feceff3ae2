import { sanitize } from '../failure/text/harmless'
import { alignTable, writeCount } from '../failure/text/table'
import type { Evaluation } from './evaluate'
import { type QuestionFigures, writeFigures } from './figures'
import { formatFigure } from './numbers'
import { describeInWords } from './sentences'

/** Writes the table of `svc eval --table`: a sentence for each question, then a line for each figure. R33 */
export const tabulateEvaluation = ({ run, questions, groups }: Evaluation): string => {
  const counts = `${writeCount(run.rows, 'row')}, ${run.answered} answered, ${run.labelled} labelled`
  const grouped = [...(groups ?? [])].map(
    ([name, figures]) => `group ${sanitize(name)}\n${tabulateFigures(figures)}`,
  )
  const sentences = [...questions].map(([id, figures]) => {
    const rows = run.questions.get(id)
    return rows === undefined ? '' : sanitize(`${id}: ${describeInWords(rows, figures)}`)
  })
  return [counts, sentences.join('\n'), tabulateFigures(questions), ...grouped].join('\n\n')
}

const tabulateFigures = (questions: ReadonlyMap<string, QuestionFigures>): string =>
  alignTable(
    2,
    ['question', 'figure', 'value', '95 % from', 'to'],
    [...questions].flatMap(([id, figures]) => [
      [`${id} (${figures.type})`, 'n', String(figures.n), '', ''],
      ...writeFigures(figures, formatFigure).map((cells) => ['', ...cells]),
      ['', 'baseline', formatFigure(figures.baseline.accuracy), '', ''],
    ]),
  )
