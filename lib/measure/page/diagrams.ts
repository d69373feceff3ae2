import type { QuestionFigures } from '../figures'
import { axes, type Diagram, dot, drawing, label, legend, line, path, x, y } from './diagram'
import { short, shown } from './markup'

/** Draws the diagrams of a question. Those without data are left out. R20 */
export const diagramsOf = (figures: QuestionFigures): ReadonlyArray<Diagram> =>
  [
    reliability(figures),
    sweepDiagram(figures),
    riskDiagram(figures),
    matrixDiagram(figures),
  ].filter((diagram) => diagram !== undefined)

const reliability = ({ type, curve }: QuestionFigures): Diagram | undefined => {
  if (curve === null) return undefined
  const said = type === 'noul' ? 'probability of a yes' : 'probability of what was decided'
  const came = type === 'noul' ? 'share that was a yes' : 'share that was right'
  const bins = curve.map(({ prob_pred, prob_true, low, high }) => {
    const bars =
      low === null || high === null
        ? []
        : [
            line([x(prob_pred), y(low)], [x(prob_pred), y(high)], 'bar'),
            line([x(prob_pred) - 4, y(low)], [x(prob_pred) + 4, y(low)], 'bar'),
            line([x(prob_pred) - 4, y(high)], [x(prob_pred) + 4, y(high)], 'bar'),
          ]
    return [...bars, dot([x(prob_pred), y(prob_true)], 4)].join('')
  })
  const counts = curve.map(({ lower, upper, count }) =>
    label([x((lower + upper) / 2), y(0) + 54], compact(count)),
  )
  const title = 'Reliability'
  return {
    name: 'reliability',
    title,
    caption: `Each dot is a tenth of the scale: ${said} against the ${came}, with its 95 % interval. On the dotted line both agree. Below stands how many rows each tenth has.`,
    svg: drawing(
      `${title}: ${said} against ${came}`,
      344,
      [
        axes(said, came),
        line([x(0), y(0)], [x(1), y(1)], 'ideal'),
        ...bins,
        ...counts,
        label([x(0.5), y(0) + 70], 'rows in each tenth'),
      ].join(''),
    ),
    table: {
      columns: ['from', 'to', 'rows', 'said', 'came true', 'low', 'high'],
      rows: curve.map(({ lower, upper, count, prob_pred, prob_true, low, high }) =>
        [lower, upper, count, prob_pred, prob_true, low, high].map(shown),
      ),
    },
  }
}

/** Writes a count in at most five characters. */
const compact = (count: number): string =>
  count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`

const sweepDiagram = ({ sweep }: QuestionFigures): Diagram | undefined => {
  if (sweep === null) return undefined
  const series = (figure: 'precision' | 'recall' | 'f1', style: string): string =>
    path(
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
    svg: drawing(
      `${title}: precision, recall and F1`,
      310,
      [
        legend([
          ['precision', 'series'],
          ['recall', 'second'],
          ['F1', 'third'],
        ]),
        axes('yes from this probability on', 'figure'),
        series('precision', 'series'),
        series('recall', 'second'),
        series('f1', 'third'),
      ].join(''),
    ),
    table: {
      columns: ['at', 'precision', 'recall', 'F1', 'accuracy', 'accepted'],
      rows: sweep.map(({ at, precision, recall, f1, accuracy, accepted }) =>
        [at, precision, recall, f1, accuracy, accepted].map(shown),
      ),
    },
  }
}

const riskDiagram = ({ risk }: QuestionFigures): Diagram | undefined => {
  if (risk === null) return undefined
  const title = 'Risk and coverage'
  const points = risk.map(({ coverage, risk: wrong }) => [x(coverage), y(wrong)] as const)
  return {
    name: 'risk-coverage',
    title,
    caption:
      'How many answers are wrong when only the surest are taken: the share taken against the share of those that is wrong.',
    svg: drawing(
      title,
      310,
      [
        axes('share of rows taken, the surest first', 'share of those that is wrong'),
        path(points, 'series'),
        ...(risk.length > 30 ? [] : points.map((point) => dot(point, 3))),
      ].join(''),
    ),
    table: {
      columns: ['at', 'coverage', 'risk'],
      rows: risk.map(({ at, coverage, risk: wrong }) => [at, coverage, wrong].map(shown)),
    },
  }
}

/** The most labels of a confusion matrix that is drawn. A larger one is shown only as a table. */
const mostDrawn = 16

const matrixDiagram = ({ confusion }: QuestionFigures): Diagram | undefined => {
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
        `<rect class="cell" x="${short(at[0])}" y="${short(at[1])}" width="${short(cell)}" height="${short(cell)}" fill-opacity="${short(share * 0.5)}"/>`,
        label([at[0] + cell / 2, at[1] + cell / 2 + 4], compact(Math.round(value))),
      ].join('')
    })
  })
  // Levels fit above their columns as they are; longer labels are numbered there.
  const isNumbered = size > 4 && labels.some((name) => name.length > 2)
  const names = labels.flatMap((name, i) => [
    label(
      [corner - 8, 40 + i * cell + cell / 2 + 4],
      cut(isNumbered ? `${i + 1} ${name}` : name, 16),
      'end',
    ),
    label(
      [corner + i * cell + cell / 2, 56 + size * cell],
      isNumbered ? String(i + 1) : cut(name, Math.max(2, Math.floor(cell / 6.5))),
    ),
  ])
  return {
    name: 'confusion',
    title,
    caption: `Rows: what is right. Columns: what was decided. The darker, the larger the share of its row.`,
    svg:
      size > mostDrawn
        ? ''
        : drawing(
            title,
            Math.ceil(84 + size * cell),
            [
              label([corner - 8, 28], 'right', 'end', ' class="soft"'),
              label([corner, 28], 'decided', 'start', ' class="soft"'),
              ...cells,
              ...names,
            ].join(''),
          ),
    table: {
      columns: ['right \\ decided', ...labels],
      rows: matrix.map((row, i) => [labels[i] as string, ...row.map(shown)]),
    },
  }
}

const cut = (text: string, most: number): string => {
  const characters = [...text]
  return characters.length <= most
    ? text
    : `${characters.slice(0, Math.max(1, most - 1)).join('')}…`
}
