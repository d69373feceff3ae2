import { type LabelledRows, undecided } from '../rows/labelled-run'
import { escapeText, formatCoordinate, formatTable, formatTableFrame } from './markup'

/** With more labels than this, the page lists confusions instead of a matrix. */
const maxMatrixLabels = 16

const maxListedConfusions = 20

/** Formats the confusions of a question: a matrix, or a list of the most common ones if there are many labels. */
export const formatConfusion = (id: string, rows: LabelledRows): string => {
  const { labels } = rows
  const counts = countConfusions(rows)
  return labels.length > maxMatrixLabels
    ? formatCommonConfusions(id, labels, counts)
    : formatMatrix(id, labels, counts)
}

/** The number of rows by right label (outer list) and decided label (inner list). */
type ConfusionCounts = ReadonlyArray<ReadonlyArray<number>>

const countConfusions = ({ labels, truth, decided }: LabelledRows): ConfusionCounts => {
  const counts = labels.map(() => labels.map(() => 0))
  for (let i = 0; i < truth.length; i++) {
    const decision = decided[i] as number
    const row = counts[truth[i] as number]
    if (decision !== undecided && row !== undefined) row[decision] = (row[decision] ?? 0) + 1
  }
  return counts
}

const formatCommonConfusions = (
  id: string,
  labels: ReadonlyArray<string>,
  counts: ConfusionCounts,
): string => {
  const confusions: Array<{ right: number; decided: number; count: number }> = []
  counts.forEach((row, right) => {
    row.forEach((count, decided) => {
      if (right !== decided && count > 0) confusions.push({ right, decided, count })
    })
  })
  const mostCommon = confusions.sort((a, b) => b.count - a.count).slice(0, maxListedConfusions)
  const table = formatTable(`Confusions of ${id}`, {
    columns: ['label', 'answer', 'rows'],
    rows: mostCommon.map(({ right, decided, count }) => [
      labels[right] as string,
      labels[decided] as string,
      String(count),
    ]),
    text: [0, 1],
  })
  return `<h3>The ${maxListedConfusions} most common confusions</h3>${table}<p class="soft">There are ${labels.length} labels. The table lists the pairs that answers confuse most often.</p>`
}

/** Formats the matrix as a table. A cell is darker if it has a larger share of its row. */
const formatMatrix = (
  id: string,
  labels: ReadonlyArray<string>,
  counts: ConfusionCounts,
): string => {
  const head = ['label \\ answer', ...labels].map(
    (label) => `<th scope="col">${escapeText(label)}</th>`,
  )
  const lines = counts.map((row, i) => {
    const rowTotal = row.reduce((total, count) => total + count, 0)
    const cells = row.map((count) => {
      const share = rowTotal === 0 ? 0 : count / rowTotal
      return `<td class="cell" style="--share:${formatCoordinate(share)}">${count}</td>`
    })
    return `<tr><th scope="row">${escapeText(labels[i] as string)}</th>${cells.join('')}</tr>`
  })
  const table = `<thead><tr>${head.join('')}</tr></thead><tbody>${lines.join('')}</tbody>`
  return `<h3>Confusion</h3>${formatTableFrame(`Confusion of ${id}`, table)}<p class="soft">Each line of the table is a label, each column an answer. Darker cells have a larger share of their line.</p>`
}
