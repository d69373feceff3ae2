import type { QuestionFigures } from '../figures'
import { type Diagram, drawSvg, drawText } from './diagram'
import { formatCoordinate, formatCount } from './markup'

type Confusion = NonNullable<QuestionFigures['confusion']>

/** The most labels of a matrix that is drawn, and the most confusions that are listed where there are more labels. */
const mostDrawn = 16
const mostListed = 20

/** Draws which labels were taken for which; above 16 labels only the commonest confusions are listed. R20 */
export const drawConfusion = ({ confusion }: QuestionFigures): Diagram | undefined => {
  if (confusion === null) return undefined
  return confusion.labels.length > mostDrawn ? listConfusions(confusion) : drawMatrix(confusion)
}

const listConfusions = ({ labels, matrix }: Confusion): Diagram => {
  const confused = matrix.flatMap((row, truth) =>
    row.flatMap((weight, decided) =>
      truth === decided || weight === 0 ? [] : [{ truth, decided, weight }],
    ),
  )
  const commonest = confused.sort((a, b) => b.weight - a.weight).slice(0, mostListed)
  return {
    name: 'confusion',
    title: `The ${mostListed} commonest confusions`,
    caption: `There are ${labels.length} labels; these are taken for each other most often.`,
    svg: '',
    table: {
      columns: ['should be', 'said', 'rows'],
      rows: commonest.map(({ truth, decided, weight }) => [
        ...[labels[truth] as string, labels[decided] as string],
        formatCount(Math.round(weight)),
      ]),
      text: [0, 1],
    },
  }
}

const corner = 126
const top = 40

const drawMatrix = ({ labels, matrix }: Confusion): Diagram => {
  const size = labels.length
  const cell = Math.min(64, 260 / size)
  const rows = matrix.map((row) => row.map((weight) => formatCount(Math.round(weight))))
  const cells = matrix.flatMap((row, i) => {
    const all = row.reduce((total, value) => total + value, 0)
    return row.map((value, k) => {
      const [left, above] = [corner + k * cell, top + i * cell]
      const share = all === 0 ? 0 : value / all
      const count = rows[i]?.[k] ?? ''
      const [cx, cy, side] = [left, above, cell].map(formatCoordinate)
      return [
        `<rect class="cell" x="${cx}" y="${cy}" width="${side}" height="${side}" fill-opacity="${formatCoordinate(share * 0.5)}"/>`,
        fits(count, cell) ? drawText([left + cell / 2, above + cell / 2 + 4], count) : '',
      ].join('')
    })
  })
  const bottom = top + size * cell
  // Names that are wider than their column stand upright below it.
  const isUpright = labels.some((name) => !fits(name, cell))
  const names = labels.flatMap((name, i) => {
    const middle = i * cell + cell / 2
    const at = [corner + middle + (isUpright ? 4 : 0), bottom + (isUpright ? 8 : 16)] as const
    const turn = ` transform="rotate(-90 ${formatCoordinate(at[0])} ${formatCoordinate(at[1])})"`
    return [
      drawText([corner - 8, top + middle + 4], cutName(name), 'end'),
      isUpright ? drawText(at, cutName(name), 'end', turn) : drawText(at, name),
    ]
  })
  const title = 'Confusion'
  return {
    name: 'confusion',
    title,
    caption:
      'Rows: what it should be. Columns: what was said. The darker, the larger the share of its row.',
    svg: drawSvg(
      title,
      Math.ceil(bottom + (isUpright ? 118 : 28)),
      [
        drawText([corner - 8, 28], 'should be', 'end', ' class="soft"'),
        drawText([corner, 28], 'said', 'start', ' class="soft"'),
        ...cells,
        ...names,
      ].join(''),
    ),
    table: {
      columns: ['should be \\ said', ...labels],
      rows: rows.map((row, i) => [labels[i] as string, ...row]),
    },
  }
}

/** Whether a text fits into a cell, whose characters are about 6.5 units wide. */
const fits = (text: string, cell: number): boolean => [...text].length * 6.5 <= cell - 2

const longestName = 16

const cutName = (name: string): string => {
  const characters = [...name]
  return characters.length <= longestName
    ? name
    : `${characters.slice(0, longestName - 1).join('')}…`
}
