import { formatInertMarkdown, formatMarkdownTable } from '../../failure/text/markdown'
import { formatCount } from '../../failure/text/table'
import { formatFigure } from '../format-figures'
import type { Evaluation } from './evaluation'
import { formatFigureRows } from './figures'

/** Formats the result of `svc eval` as Markdown for the job summary of a CI system: unmet limits, then the figures of each question. */
export const formatEvaluationMarkdown = (
  { run, questions }: Evaluation,
  unmet: ReadonlyArray<string>,
): string => {
  const counts = `${formatCount(run.rowCount, 'row')}, ${run.answeredCount} answered, ${run.labelledCount} labelled`
  const rows = [...questions].flatMap(([id, figures]) =>
    formatFigureRows(figures, formatFigure).map((cells) => [formatInertMarkdown(id), ...cells]),
  )
  const table = formatMarkdownTable(['Question', 'Figure', 'Value', '95 % from', 'to'], rows)
  return [
    formatSummaryTitle('eval', unmet),
    counts,
    ...formatSummaryLimits('not met', unmet),
    table,
  ].join('\n\n')
}

/** Formats the title of a job summary: `ok`, or `FAIL` if a limit does not hold. */
export const formatSummaryTitle = (command: string, failures: ReadonlyArray<string>): string =>
  `# svc ${command}: ${failures.length === 0 ? 'ok' : 'FAIL'}`

/** Formats the limits that do not hold as a Markdown list, each after `word`. Returns no paragraph if all limits hold. */
export const formatSummaryLimits = (
  word: string,
  texts: ReadonlyArray<string>,
): ReadonlyArray<string> =>
  texts.length === 0
    ? []
    : [texts.map((text) => `- ${word}: ${formatInertMarkdown(text)}`).join('\n')]
