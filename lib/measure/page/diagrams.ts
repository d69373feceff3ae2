import type { QuestionFigures } from '../figures'
import {
  type Diagram,
  drawAxes,
  drawDot,
  drawLegend,
  drawLine,
  drawPath,
  drawSvg,
  drawText,
  x,
  y,
} from './diagram'
import { formatCell, formatCoordinate } from './markup'

/** Draws the diagrams of a question. Those without data are left out. R20 */
export const drawDiagrams = (figures: QuestionFigures): ReadonlyArray<Diagram> =>
  [drawReliability(figures), drawSweep(figures), drawRisk(figures), drawMatrix(figures)].filter(
    (diagram) => diagram !== undefined,
  )

const drawReliability = ({ type, curve }: QuestionFigures): Diagram | undefined => {
  if (curve === null) return undefined
  const said = type === 'noul' ? 'probability of a yes' : 'probability of what was decided'
  const came = type === 'noul' ? 'share that was a yes' : 'share that was right'
  const bins = curve.map(({ prob_pred, prob_true, low, high }) => {
    const bars =
      low === null || high === null
        ? []
        : [
            drawLine([x(prob_pred), y(low)], [x(prob_pred), y(high)], 'bar'),
            drawLine([x(prob_pred) - 4, y(low)], [x(prob_pred) + 4, y(low)], 'bar'),
            drawLine([x(prob_pred) - 4, y(high)], [x(prob_pred) + 4, y(high)], 'bar'),
          ]
    return [...bars, drawDot([x(prob_pred), y(prob_true)], 4)].join('')
  })
  const counts = curve.map(({ lower, upper, count }) =>
    drawText([x((lower + upper) / 2), y(0) + 54], formatCount(count)),
  )
  const title = 'Reliability'
  return {
    name: 'reliability',
    title,
    caption: `Each dot is a tenth of the scale: ${said} against the ${came}, with its 95 % interval. On the dotted line both agree. Below stands how many rows each tenth has.`,
    svg: drawSvg(
      `${title}: ${said} against ${came}`,
      344,
      [
        drawAxes(said, came),
        drawLine([x(0), y(0)], [x(1), y(1)], 'ideal'),
        ...bins,
        ...counts,
        drawText([x(0.5), y(0) + 70], 'rows in each tenth'),
      ].join(''),
    ),
    table: {
      columns: ['from', 'to', 'rows', 'said', 'came true', 'low', 'high'],
      rows: curve.map(({ lower, upper, count, prob_pred, prob_true, low, high }) =>
        [lower, upper, count, prob_pred, prob_true, low, high].map(formatCell),
      ),
    },
  }
}

/** Writes a count in at most five characters. */
const formatCount = (count: number): string =>
  count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`

const drawSweep = ({ sweep }: QuestionFigures): Diagram | undefined => {
  if (sweep === null) return undefined
  const series = (figure: 'precision' | 'recall' | 'f1', style: string): string =>
    drawPath(
      sweep.flatMap(({ at, [figure]: value }) =>
        value === null ? [] : [[x(at), y(value)] as const],
      ),
      style,
    )
  const title = 'Threshold'
  return {
    name: 'sweep',
    title,
    caption:
      'What precision, recall and F1 are when a row counts as a yes from this probability on.',
    svg: drawSvg(
      `${title}: precision, recall and F1`,
      310,
      [
        drawLegend([
          ['precision', 'series'],
          ['recall', 'second'],
          ['F1', 'third'],
        ]),
        drawAxes('yes from this probability on', 'figure'),
        series('precision', 'series'),
        series('recall', 'second'),
        series('f1', 'third'),
      ].join(''),
    ),
    table: {
      columns: ['at', 'precision', 'recall', 'F1', 'accuracy', 'accepted'],
      rows: sweep.map(({ at, precision, recall, f1, accuracy, accepted }) =>
        [at, precision, recall, f1, accuracy, accepted].map(formatCell),
      ),
    },
  }
}

const drawRisk = ({ risk }: QuestionFigures): Diagram | undefined => {
  if (risk === null) return undefined
  const title = 'Risk and coverage'
  const points = risk.map(({ coverage, risk: wrong }) => [x(coverage), y(wrong)] as const)
  return {
    name: 'risk-coverage',
    title,
    caption:
      'How many answers are wrong when only the surest are taken: the share taken against the share of those that is wrong.',
    svg: drawSvg(
      title,
      310,
      [
        drawAxes('share of rows taken, the surest first', 'share of those that is wrong'),
        drawPath(points, 'series'),
        ...(risk.length > 30 ? [] : points.map((point) => drawDot(point, 3))),
      ].join(''),
    ),
    table: {
      columns: ['at', 'coverage', 'risk'],
      rows: risk.map(({ at, coverage, risk: wrong }) => [at, coverage, wrong].map(formatCell)),
    },
  }
}

/** The most labels of a confusion matrix that is drawn. A larger one is formatCell only as a table. */
const mostDrawn = 16

const drawMatrix = ({ confusion }: QuestionFigures): Diagram | undefined => {
  if (confusion === null) return undefined
  const { labels, matrix } = confusion
  const title = 'Confusion'
  const size = labels.length
  const cell = Math.min(64, 260 / size)
  const corner = 126
  const cells = matrix.flatMap((row, i) => {
    const all = row.reduce((total, value) => total + value, 0)
    return row.map((value, k) => {
      const at = [corner + k * cell, 40 + i * cell] as const
      const share = all === 0 ? 0 : value / all
      return [
        `<rect class="cell" x="${formatCoordinate(at[0])}" y="${formatCoordinate(at[1])}" width="${formatCoordinate(cell)}" height="${formatCoordinate(cell)}" fill-opacity="${formatCoordinate(share * 0.5)}"/>`,
        drawText([at[0] + cell / 2, at[1] + cell / 2 + 4], formatCount(Math.round(value))),
      ].join('')
    })
  })
  // Levels fit above their columns as they are; longer labels are numbered there.
  const isNumbered = size > 4 && labels.some((name) => name.length > 2)
  const names = labels.flatMap((name, i) => [
    drawText(
      [corner - 8, 40 + i * cell + cell / 2 + 4],
      cutText(isNumbered ? `${i + 1} ${name}` : name, 16),
      'end',
    ),
    drawText(
      [corner + i * cell + cell / 2, 56 + size * cell],
      isNumbered ? String(i + 1) : cutText(name, Math.max(2, Math.floor(cell / 6.5))),
    ),
  ])
  return {
    name: 'confusion',
    title,
    caption: `Rows: what is right. Columns: what was decided. The darker, the larger the share of its row.`,
    svg:
      size > mostDrawn
        ? ''
        : drawSvg(
            title,
            Math.ceil(84 + size * cell),
            [
              drawText([corner - 8, 28], 'right', 'end', ' class="soft"'),
              drawText([corner, 28], 'decided', 'start', ' class="soft"'),
              ...cells,
              ...names,
            ].join(''),
          ),
    table: {
      columns: ['right \\ decided', ...labels],
      rows: matrix.map((row, i) => [labels[i] as string, ...row.map(formatCell)]),
    },
  }
}

const cutText = (text: string, most: number): string => {
  const characters = [...text]
  return characters.length <= most
    ? text
    : `${characters.slice(0, Math.max(1, most - 1)).join('')}…`
}
