import { formatInertMarkdown, formatMarkdownTable } from '../../failure/text/markdown'
import { formatSummaryLimits, formatSummaryTitle } from '../evaluate/job-summary'
import { formatFigure } from '../format-figures'
import type { Difference } from './difference'

/** Writes the result of `svc compare` as Markdown for the job summary: the limits that are exceeded, then each question. */
export const formatDifferenceMarkdown = (
  { compared, questions }: Difference,
  exceeded: ReadonlyArray<string>,
): string => {
  const counts = `${compared.rows.a} and ${compared.rows.b} rows, ${compared.paired} paired`
  const rows = [...questions].map(([id, { question, agreement, kappa, meanShift, labelled }]) => {
    const { flipped, fixed, broken } = question.pairs
    const figures = [agreement, kappa, flipped, meanShift].map(formatFigure)
    const byLabels =
      labelled === undefined ? ['', '', ''] : [fixed, broken, labelled.holm].map(formatFigure)
    return [formatInertMarkdown(id), ...figures, ...byLabels]
  })
  const columns = ['Question', 'Agreement', 'Kappa', 'Flipped', 'Mean shift', 'Fixed', 'Broken']
  const table = formatMarkdownTable([...columns, 'p (Holm)'], rows)
  const head = formatSummaryTitle('compare', exceeded)
  return [head, counts, ...formatSummaryLimits('exceeded', exceeded), table].join('\n\n')
}
