import type { LabelledRows } from '../rows/labelled-run'
import { countConfusions } from '../statistics/classification'
import { listTableRows } from '../statistics/numbers'
import { escapeText, formatCoordinate, formatTable, formatTableFrame } from './markup'

/** With more labels than this, the page lists confusions instead of a matrix. */
const maxMatrixLabels = 32

/** With more labels than this, the heads of the columns are rotated, so that the columns are narrow. */
const maxHorizontalLabels = 5

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
      // A confusion that happened once says nothing about the question.
      if (rightIndex !== decidedIndex && count > 1)
        confusions.push({ rightIndex, decidedIndex, count })
    })
  })
  if (confusions.length === 0)
    return `<h3>Confusion</h3><p>There are ${labels.length} labels, and no two of them are confused more than once.</p>`
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
  return `<h3>The most common confusions</h3>${table}<p class="soft">There are ${labels.length} labels. The table lists the pairs that answers confuse most often, and at least twice.</p>`
}

/**
 * Formats the matrix as a table. The style sheet makes a cell darker if its `--share` of the table row is larger, and gives right answers
 * another colour than wrong ones.
 */
const formatMatrix = (
  id: string,
  labels: ReadonlyArray<string>,
  counts: ConfusionCounts,
): string => {
  const head = labels.map((label) => `<th scope="col"><span>${escapeText(label)}</span></th>`)
  const lines = counts.map((labelCounts, rightIndex) => {
    const labelTotal = labelCounts.reduce((total, count) => total + count, 0)
    const cells = labelCounts.map((count, decidedIndex) => {
      if (count === 0) return '<td class="cell">·</td>'
      const cssClass = rightIndex === decidedIndex ? 'cell' : 'cell wrong'
      return `<td class="${cssClass}" style="--share:${formatCoordinate(count / labelTotal)}">${count}</td>`
    })
    const heading = escapeText(labels[rightIndex] as string)
    return `<tr><th scope="row">${heading}</th>${cells.join('')}</tr>`
  })
  const table = `<thead><tr><th scope="col">label \\ answer</th>${head.join('')}</tr></thead><tbody>${lines.join('')}</tbody>`
  const cssClass = labels.length > maxHorizontalLabels ? 'matrix narrow' : 'matrix'
  return `<h3>Confusion</h3>${formatTableFrame(`Confusion of ${id}`, table, cssClass)}<p class="soft">Each line of the table is a label, each column an answer. Darker cells have a larger share of their line. Right answers are on the diagonal.</p>`
}
