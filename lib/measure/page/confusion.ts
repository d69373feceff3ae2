import type { LabelledRows } from '../rows/labelled-run'
import { undecided } from '../rows/labelled-run'
import { escapeText, formatCoordinate, formatTable, formatTableFrame } from './markup'

/** The maximum number of labels of a matrix. With more labels, confusions are listed instead. */
const maxMatrixLabels = 16

/** The maximum number of confusions that are listed. */
const maxListed = 20

/** Formats how often each label was decided instead of each other one: a matrix, or a list if there are many labels. */
export const formatConfusion = (id: string, rows: LabelledRows): string => {
  const { labels, truth, decided } = rows
  const counts = labels.map(() => labels.map(() => 0))
  for (let i = 0; i < truth.length; i++) {
    const [right, said] = [truth[i] as number, decided[i] as number]
    const row = counts[right]
    if (said !== undecided && row !== undefined) row[said] = (row[said] ?? 0) + 1
  }
  return labels.length > maxMatrixLabels
    ? formatCommonConfusions(id, labels, counts)
    : formatMatrix(id, labels, counts)
}

type Counts = ReadonlyArray<ReadonlyArray<number>>

const formatCommonConfusions = (
  id: string,
  labels: ReadonlyArray<string>,
  counts: Counts,
): string => {
  const confused = counts.flatMap((row, right) =>
    row.flatMap((count, said) => (right === said || count === 0 ? [] : [{ right, said, count }])),
  )
  const commonest = confused.sort((a, b) => b.count - a.count).slice(0, maxListed)
  const table = formatTable(`Confusions of ${id}`, {
    columns: ['should be', 'said', 'rows'],
    rows: commonest.map(({ right, said, count }) => [
      labels[right] as string,
      labels[said] as string,
      String(count),
    ]),
    text: [0, 1],
  })
  return `<h3>The ${maxListed} commonest confusions</h3>${table}<p class="soft">There are ${labels.length} labels. These are taken for each other most often.</p>`
}

/** Formats the matrix as a table. The larger a cell's share of its row, the darker its shade. */
const formatMatrix = (id: string, labels: ReadonlyArray<string>, counts: Counts): string => {
  const head = ['should be \\ said', ...labels].map(
    (label) => `<th scope="col">${escapeText(label)}</th>`,
  )
  const lines = counts.map((row, i) => {
    const all = row.reduce((total, count) => total + count, 0)
    const cells = row.map((count) => {
      const share = all === 0 ? 0 : count / all
      return `<td class="cell" style="--share:${formatCoordinate(share)}">${count}</td>`
    })
    return `<tr><th scope="row">${escapeText(labels[i] as string)}</th>${cells.join('')}</tr>`
  })
  const table = `<thead><tr>${head.join('')}</tr></thead><tbody>${lines.join('')}</tbody>`
  return `<h3>Confusion</h3>${formatTableFrame(`Confusion of ${id}`, table)}<p class="soft">Rows: what it should be. Columns: what was said. The darker, the larger the share of its row.</p>`
}
