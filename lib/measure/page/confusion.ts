import type { LabelledRows } from '../rows/labelled-run'
import { countConfusions } from '../statistics/classification'
import { listTableRows } from '../statistics/numbers'
import { escapeText, formatCoordinate, formatTable, formatTableFrame } from './markup'

/** With more labels than this, the page lists confusions instead of a matrix. */
const maxMatrixLabels = 16

const maxListedConfusions = 20

/**
 * Formats how often the answers to a question decided for one label when another was right: as a matrix, or as a list of the
 * most common confusions if there are many labels. Every answer must have a decision.
 */
export const formatConfusion = (id: string, rows: LabelledRows): string => {
  const { labels, truth, decisions } = rows
  const counts = listTableRows(countConfusions(truth, decisions, labels.length))
  return labels.length > maxMatrixLabels
    ? formatCommonConfusions(id, labels, counts)
    : formatMatrix(id, labels, counts)
}

/** The number of rows by the index of the right label (outer list) and of the decided label (inner list). */
type ConfusionCounts = ReadonlyArray<ReadonlyArray<number>>

const formatCommonConfusions = (
  id: string,
  labels: ReadonlyArray<string>,
  counts: ConfusionCounts,
): string => {
  // The indexes are those of `labels`.
  const confusions: Array<{ rightIndex: number; decidedIndex: number; count: number }> = []
  counts.forEach((labelCounts, rightIndex) => {
    labelCounts.forEach((count, decidedIndex) => {
      if (rightIndex !== decidedIndex && count > 0)
        confusions.push({ rightIndex, decidedIndex, count })
    })
  })
  const mostCommon = confusions.sort((a, b) => b.count - a.count).slice(0, maxListedConfusions)
  const table = formatTable(`Confusions of ${id}`, {
    columns: ['label', 'answer', 'rows'],
    rows: mostCommon.map(({ rightIndex, decidedIndex, count }) => [
      labels[rightIndex] as string,
      labels[decidedIndex] as string,
      String(count),
    ]),
    textColumns: ['label', 'answer'],
  })
  return `<h3>The ${maxListedConfusions} most common confusions</h3>${table}<p class="soft">There are ${labels.length} labels. The table lists the pairs that answers confuse most often.</p>`
}

/** Formats the matrix as a table. The style sheet makes a cell darker if its `--share` of the table row is larger. */
const formatMatrix = (
  id: string,
  labels: ReadonlyArray<string>,
  counts: ConfusionCounts,
): string => {
  const head = ['label \\ answer', ...labels].map(
    (label) => `<th scope="col">${escapeText(label)}</th>`,
  )
  const lines = counts.map((labelCounts, rightIndex) => {
    const labelTotal = labelCounts.reduce((total, count) => total + count, 0)
    const cells = labelCounts.map((count) => {
      const share = labelTotal === 0 ? 0 : count / labelTotal
      return `<td class="cell" style="--share:${formatCoordinate(share)}">${count}</td>`
    })
    const heading = escapeText(labels[rightIndex] as string)
    return `<tr><th scope="row">${heading}</th>${cells.join('')}</tr>`
  })
  const table = `<thead><tr>${head.join('')}</tr></thead><tbody>${lines.join('')}</tbody>`
  return `<h3>Confusion</h3>${formatTableFrame(`Confusion of ${id}`, table)}<p class="soft">Each line of the table is a label, each column an answer. Darker cells have a larger share of their line.</p>`
}
