import { formatInertMarkdown, formatMarkdownTable } from '../../failure/text/markdown'
import { formatSummaryLimits, formatSummaryTitle } from '../evaluate/job-summary'
import { formatFigure } from '../format-figures'
import type { Difference } from './difference'

/** Formats the result of `svc compare` as Markdown for the job summary of a CI system: the exceeded limits, then a row for each question. */
export const formatDifferenceMarkdown = (
  { compared, questions }: Difference,
  exceeded: ReadonlyArray<string>,
): string => {
  const counts = `${compared.rowCounts.a} and ${compared.rowCounts.b} rows, ${compared.pairedRowCount} paired`
  const rows = [...questions].map(([id, { question, agreement, kappa, meanShift, labelled }]) => {
    const { flipCount, fixedCount, brokenCount } = question.pairs
    const figures = [agreement, kappa, flipCount, meanShift].map(formatFigure)
    const labelFigures =
      labelled === undefined
        ? ['', '', '']
        : [fixedCount, brokenCount, labelled.holmP].map(formatFigure)
    return [formatInertMarkdown(id), ...figures, ...labelFigures]
  })
  const columns = ['Question', 'Agreement', 'Kappa', 'Flipped', 'Mean shift', 'Fixed', 'Broken']
  const table = formatMarkdownTable([...columns, 'p (Holm)'], rows)
  const title = formatSummaryTitle('compare', exceeded)
  return [title, counts, ...formatSummaryLimits('exceeded', exceeded), table].join('\n\n')
}
