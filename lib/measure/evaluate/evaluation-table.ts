import { formatInertMarkdown, formatMarkdownTable } from '../../text/markdown'
import { sanitize } from '../../text/sanitize'
import { alignTable, formatCount } from '../../text/table'
import { plainLayout, type TextLayout } from '../../text/terminal'
import { formatFigure, formatShare, formatShareRange, formatSummaryHead } from '../format-figures'
import type { Evaluation } from './evaluation'
import { accuracyOf, listFigureCells, type QuestionFigures } from './figures'
import { judgeCalibration } from './judge-calibration'
import { findPassingRows, formatPassingShare, type PassingRows } from './passing-rows'
import { describeInWords } from './sentences'

/** Formats the output of `svc eval --table`: a table of all questions, sentences about each question, then a table of all figures. */
export const tabulateEvaluation = (
  evaluation: Evaluation,
  layout: TextLayout = plainLayout,
): string => {
  const { questions, groups } = evaluation
  const passing = new Map(
    Array.from(questions, ([id, { rows }]): [string, PassingRows] => [id, findPassingRows(rows)]),
  )
  const sentences = [...questions].flatMap(([id, figures]) => [
    sanitize(`${id}: ${describeInWords(figures)}`),
    ...(passing.get(id)?.lines.map((line) => `  ${line}`) ?? []),
  ])
  const groupTables = [...(groups ?? [])].map(
    ([name, figures]) => `group ${sanitize(name)}\n${tabulateFigures(figures, layout)}`,
  )
  return [
    `${describeCounts(evaluation)}; "surely" means with 95 % confidence`,
    tabulateOverview(questions, passing, layout),
    sentences.join('\n'),
    tabulateFigures(questions, layout),
    ...groupTables,
  ].join('\n\n')
}

/** Formats a table with a row for each question. */
const tabulateOverview = (
  questions: ReadonlyMap<string, QuestionFigures>,
  passing: ReadonlyMap<string, PassingRows>,
  layout: TextLayout,
): string => {
  const formatOptionalShare = (share: number | null): string =>
    share === null ? '–' : formatShare(share)
  const rows = [...questions].map(([id, figures]) => {
    const { accuracy, interval } = accuracyOf(figures)
    const passingRows = passing.get(id)
    return [
      id,
      String(figures.labelledRows),
      formatOptionalShare(accuracy),
      interval === undefined ? '–' : formatShareRange(interval),
      formatOptionalShare(figures.baseline.accuracy),
      passingRows === undefined ? '–' : formatPassingShare(passingRows),
      judgeCalibration(figures),
    ]
  })
  return alignTable(
    1,
    ['question', 'labels', 'right', '95 %', 'baseline', 'pass at 95 %', 'calibration'],
    rows,
    {
      ...layout,
      decisive: 'right',
      droppable: ['calibration', 'labels', 'baseline', '95 %'],
    },
  )
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

const tabulateFigures = (
  questions: ReadonlyMap<string, QuestionFigures>,
  layout: TextLayout,
): string => {
  const textColumnCount = 2
  return alignTable(
    textColumnCount,
    ['question', 'figure', 'value', '95 % from', 'to'],
    [...questions].flatMap(([id, figures]) => [
      [`${id} (${figures.type})`, 'n', String(figures.labelledRows), '', ''],
      ...listFigureCells(figures, formatFigure).map((cells) => ['', ...cells]),
      ['', 'baseline', formatFigure(figures.baseline.accuracy), '', ''],
    ]),
    layout,
  )
}
