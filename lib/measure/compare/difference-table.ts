import { formatInertMarkdown, formatMarkdownTable } from '../../text/markdown'
import { sanitize } from '../../text/sanitize'
import { alignTable } from '../../text/table'
import { plainLayout, type TextLayout } from '../../text/terminal'
import {
  formatFigure,
  formatSignedPoints,
  formatSummaryHead,
  formatTenthPercent,
} from '../format-figures'
import type { Difference, LabelledDifference } from './difference'
import type { ComparedRuns } from './pair-runs'

/** A table of figures: a heading for each column, and a row of cells for each question. */
interface FigureTable {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/**
 * Formats the tables of `svc compare --table`: how alike the runs decide, then which one is right by the labels, then the reasons why
 * figures are missing.
 */
export const tabulateDifference = (
  { compared, questions }: Difference,
  layout: TextLayout = plainLayout,
): string => {
  const textColumnCount = 1
  const tables = [listLikeness(questions), listAccuracies(questions)]
    .filter(({ rows }) => rows.length > 0)
    .map(({ columns, rows }) =>
      alignTable(textColumnCount, columns, rows, { ...layout, droppable }),
    )
  const reasons = describeMissing(questions).map(sanitize).join('\n')
  return [describeCounts(compared), ...tables, reasons].filter((text) => text !== '').join('\n\n')
}

/** The columns that a narrow terminal leaves out, the first one first. */
const droppable = [
  'mean_shift',
  'kappa',
  'noise of a',
  'of b',
  'labelled',
  'p (Holm)',
  'fixed',
  'broken',
  '95 % from',
  'to',
]

/** Formats the result of `svc compare` as Markdown for the job summary of a CI system: the exceeded limits, then the tables. */
export const formatDifferenceMarkdown = (
  { compared, questions }: Difference,
  exceeded: ReadonlyArray<string>,
): string => {
  const tables = [listLikeness(questions), listAccuracies(questions)]
    .filter(({ rows }) => rows.length > 0)
    .map(({ columns, rows }) =>
      formatMarkdownTable(
        columns,
        rows.map(([id = '', ...cells]) => [formatInertMarkdown(id), ...cells]),
      ),
    )
  const reasons = describeMissing(questions).map((line) => `- ${formatInertMarkdown(line)}`)
  const head = formatSummaryHead('compare', describeCounts(compared), 'exceeded', exceeded)
  return [head, ...tables, reasons.join('\n')].filter((text) => text !== '').join('\n\n')
}

const describeCounts = ({ rowCounts, pairedRowCount }: ComparedRuns): string =>
  `${rowCounts.a} and ${rowCounts.b} rows, ${pairedRowCount} paired`

/** Lists how alike both runs decide each question. Beside the flips is the noise of each run, if a run has repetitions. */
const listLikeness = (questions: Difference['questions']): FigureTable => {
  const hasNoise = [...questions.values()].some(
    ({ question: { noise } }) => noise.a !== null || noise.b !== null,
  )
  const noiseColumns = hasNoise ? ['noise of a', 'of b'] : []
  return {
    columns: ['question', 'paired', 'agreement', 'kappa', 'flipped', ...noiseColumns, 'mean_shift'],
    rows: [...questions].map(([id, { question, agreement, kappa, meanShift }]) => {
      const { pairs, noise } = question
      const noiseCells = hasNoise ? [noise.a, noise.b].map(formatNoise) : []
      const cells = [pairs.pairCount, agreement, kappa, pairs.flipCount].map(formatFigure)
      return [id, ...cells, ...noiseCells, formatFigure(meanShift)]
    }),
  }
}

const formatNoise = (share: number | null): string =>
  share === null ? '–' : formatTenthPercent(share)

/** Lists how right both runs are, for the questions that have labels. Changes are in percentage points. */
const listAccuracies = (questions: Difference['questions']): FigureTable => ({
  columns: [
    'question',
    'labelled',
    'a is right',
    'b is right',
    'change (points)',
    '95 % from',
    'to',
    'fixed',
    'broken',
    'p (Holm)',
  ],
  rows: [...questions].flatMap(([id, { question, labelled }]) => {
    if (labelled === undefined) return []
    const { count, fixedCount, brokenCount } = question.pairs.labelled
    return [
      [
        id,
        String(count),
        ...formatChangeCells(labelled.change),
        String(fixedCount),
        String(brokenCount),
        formatPValue(labelled.holmP),
      ],
    ]
  }),
})

const formatPValue = (p: number | null): string =>
  p !== null && p < 0.001 ? '<0.001' : formatFigure(p)

/** Formats the cells of both accuracies, their change, and the ends of its interval. */
const formatChangeCells = (change: LabelledDifference['change']): ReadonlyArray<string> => {
  if (change === undefined) return ['–', '–', '–', '–', '–']
  const { a, b, difference, interval } = change
  const ends =
    interval === undefined ? ['–', '–'] : [interval.low, interval.high].map(formatSignedPoints)
  return [formatTenthPercent(a), formatTenthPercent(b), formatSignedPoints(difference), ...ends]
}

/** Describes, question by question, why the change has no interval, and why there is no p-value. */
const describeMissing = (questions: Difference['questions']): ReadonlyArray<string> =>
  [...questions].flatMap(([id, { labelled }]) => {
    const { change, mcnemar_p: noPReason } = labelled?.missingReasons ?? {}
    return [
      ...(change === undefined ? [] : [`${id}: no interval of the change: ${change}`]),
      ...(noPReason === undefined ? [] : [`${id}: no p: ${noPReason}`]),
    ]
  })
