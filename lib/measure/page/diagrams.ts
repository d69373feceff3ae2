import type { QuestionFigures } from '../evaluate/figures'
import { wilson } from '../statistics/intervals'
import {
  type Diagram,
  drawAxes,
  drawDot,
  drawLegend,
  drawPath,
  drawSegment,
  drawSvg,
  drawText,
  x,
  y,
} from './diagram'
import { formatCell, formatPercentCell, formatShortCount } from './markup'

/** Draws the diagrams of a question for which it has data. */
export const drawDiagrams = (figures: QuestionFigures): ReadonlyArray<Diagram> =>
  [drawReliability(figures), drawSweep(figures), drawRisk(figures)].filter(
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
            drawSegment([x(prob_pred), y(low)], [x(prob_pred), y(high)], 'bar'),
            drawSegment([x(prob_pred) - 4, y(low)], [x(prob_pred) + 4, y(low)], 'bar'),
            drawSegment([x(prob_pred) - 4, y(high)], [x(prob_pred) + 4, y(high)], 'bar'),
          ]
    return [...bars, drawDot([x(prob_pred), y(prob_true)], 4)].join('')
  })
  const counts = curve.map(({ lower, upper, count }) =>
    drawText([x((lower + upper) / 2), y(0) + 54], formatShortCount(count)),
  )
  const title = 'Reliability'
  return {
    title,
    caption: `Each dot is a tenth of the scale: ${said} against the ${came}, with its 95 % interval. On the dotted line both agree. The numbers below are the rows of each tenth.`,
    svg: drawSvg(
      `${title}: ${said} against ${came}`,
      344,
      [
        drawAxes(said, came),
        drawSegment([x(0), y(0)], [x(1), y(1)], 'ideal'),
        ...bins,
        ...counts,
        drawText([x(0.5), y(0) + 70], 'rows in each tenth'),
      ].join(''),
    ),
    table: {
      columns: ['from', 'to', 'rows', 'said', 'came true', 'low', 'high'],
      rows: curve.map(({ lower, upper, count, prob_pred, prob_true, low, high }) => [
        ...[lower, upper, count].map(formatCell),
        ...[prob_pred, prob_true, low, high].map(formatPercentCell),
      ]),
    },
  }
}

const drawSweep = ({ sweep, n }: QuestionFigures): Diagram | undefined => {
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
      columns: ['at', 'precision', 'recall', 'F1', 'accuracy', 'accepted', 'rows for a person'],
      rows: sweep.map(({ at, precision, recall, f1, accuracy, accepted }) => [
        formatCell(at),
        ...[precision, recall].map(formatPercentCell),
        formatCell(f1),
        formatPercentCell(accuracy),
        ...[accepted, n - accepted].map(String),
      ]),
    },
  }
}

/** A point of the risk needs at least this many rows. With fewer, the curve is mostly noise. */
const minRowsOfPoint = 20

const drawRisk = ({ risk, n, evidence }: QuestionFigures): Diagram | undefined => {
  const drawn = risk?.filter(({ coverage }) => coverage * n >= minRowsOfPoint) ?? []
  if (drawn.length < 2) return undefined
  const points = drawn.map(({ at, coverage, risk: wrong }) => {
    const { low, high } = wilson(Math.max(0, wrong), evidence.nEffective * coverage)
    return { at, coverage, wrong, low, high }
  })
  const title = 'Risk and coverage'
  const band = [
    ...points.map(({ coverage, high }) => [x(coverage), y(high)] as const),
    ...points.map(({ coverage, low }) => [x(coverage), y(low)] as const).reverse(),
  ]
  return {
    title,
    caption: `How many answers are wrong when only the surest are taken: the share taken against the share of those that is wrong, with its 95 % band, from ${minRowsOfPoint} rows on.`,
    svg: drawSvg(
      title,
      310,
      [
        drawAxes('share of rows taken, the surest first', 'share of those that is wrong'),
        evidence.whyNoWilson === undefined ? drawPath(band, 'band') : '',
        drawPath(
          points.map(({ coverage, wrong }) => [x(coverage), y(wrong)] as const),
          'series',
        ),
      ].join(''),
    ),
    table: {
      columns: ['taken from', 'taken', 'wrong', 'low', 'high', 'for a person'],
      rows: points.map(({ at, coverage, wrong, low, high }) => [
        formatCell(at),
        ...[coverage, wrong].map(formatPercentCell),
        ...(evidence.whyNoWilson === undefined ? [low, high] : [null, null]).map(formatPercentCell),
        formatPercentCell(1 - coverage),
      ]),
    },
  }
}
