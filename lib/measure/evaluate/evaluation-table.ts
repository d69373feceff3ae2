import { formatInertMarkdown, formatMarkdownTable } from '../../text/markdown'
import { sanitize } from '../../text/sanitize'
import { alignTable, formatCount } from '../../text/table'
import { formatFigure, formatSummaryHead } from '../format-figures'
import type { Evaluation } from './evaluation'
import { listFigureCells, type QuestionFigures } from './figures'
import { describePassingRows } from './passing-rows'
import { describeInWords } from './sentences'

/** Formats the output of `svc eval --table`: sentences about each question, then a table of all figures. */
export const tabulateEvaluation = (evaluation: Evaluation): string => {
  const { questions, groups } = evaluation
  const sentences = [...questions].flatMap(([id, figures]) => [
    sanitize(`${id}: ${describeInWords(figures)}`),
    ...describePassingRows(figures.rows).map((line) => `  ${line}`),
  ])
  const groupTables = [...(groups ?? [])].map(
    ([name, figures]) => `group ${sanitize(name)}\n${tabulateFigures(figures)}`,
  )
  return [
    `${describeCounts(evaluation)}; "surely" means with 95 % confidence`,
    sentences.join('\n'),
    tabulateFigures(questions),
    ...groupTables,
  ].join('\n\n')
}

/** Formats the result of `svc eval` as Markdown for the job summary of a CI system: unmet limits, then the figures of each question. */
export const formatEvaluationMarkdown = (
  evaluation: Evaluation,
  unmetLimits: ReadonlyArray<string>,
): string => {
  const rows = [...evaluation.questions].flatMap(([id, figures]) =>
    listFigureCells(figures, formatFigure).map((cells) => [formatInertMarkdown(id), ...cells]),
  )
  const head = formatSummaryHead('eval', describeCounts(evaluation), 'not met', unmetLimits)
  const table = formatMarkdownTable(['Question', 'Figure', 'Value', '95 % from', 'to'], rows)
  return `${head}\n\n${table}`
}

const describeCounts = ({ run }: Evaluation): string =>
  `${formatCount(run.rowCount, 'row')}, ${run.answeredCount} answered, ${run.labelledCount} labelled`

const tabulateFigures = (questions: ReadonlyMap<string, QuestionFigures>): string => {
  const textColumnCount = 2
  return alignTable(
    textColumnCount,
    ['question', 'figure', 'value', '95 % from', 'to'],
    [...questions].flatMap(([id, figures]) => [
      [`${id} (${figures.type})`, 'n', String(figures.labelledRows), '', ''],
      ...listFigureCells(figures, formatFigure).map((cells) => ['', ...cells]),
      ['', 'baseline', formatFigure(figures.baseline.accuracy), '', ''],
    ]),
  )
}
