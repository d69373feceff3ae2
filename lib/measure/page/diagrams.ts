import type { QuestionFigures } from '../evaluate/figures'
import type { CurveBin } from '../statistics/calibration'
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

/** Draws the diagrams for which a question has data. */
export const drawDiagrams = (figures: QuestionFigures): ReadonlyArray<Diagram> =>
  [drawReliability(figures), drawSweep(figures), drawRisk(figures)].filter(
    (diagram) => diagram !== undefined,
  )

const drawReliability = ({ type, curve }: QuestionFigures): Diagram | undefined => {
  if (curve === null) return undefined
  const predicted = type === 'noul' ? 'probability of a yes' : 'probability of the decision'
  const observed = type === 'noul' ? 'share of rows that are a yes' : 'share of right decisions'
  const counts = curve.map(({ lower, upper, count }) =>
    drawText([x((lower + upper) / 2), y(0) + 54], formatShortCount(count)),
  )
  const title = 'Reliability'
  const content = [
    drawAxes(predicted, observed),
    drawSegment([x(0), y(0)], [x(1), y(1)], 'ideal'),
    ...curve.map(drawBin),
    ...counts,
    drawText([x(0.5), y(0) + 70], 'rows in each tenth'),
  ]
  return {
    title,
    caption: `Each dot stands for the rows in a tenth of the scale. It shows their mean ${predicted} and the ${observed}, with a 95 % interval. Dots of perfect probabilities are on the dotted line. The numbers below are the rows in each tenth.`,
    svg: drawSvg(`${title}: ${predicted} and ${observed}`, 344, content.join('')),
    table: {
      columns: ['from', 'to', 'rows', 'predicted', 'observed', 'low', 'high'],
      rows: curve.map(({ lower, upper, count, prob_pred, prob_true, low, high }) => [
        ...[lower, upper, count].map(formatCell),
        ...[prob_pred, prob_true, low, high].map(formatPercentCell),
      ]),
    },
  }
}

/** Draws a bin of the calibration curve as a dot, with its interval if there is one. */
const drawBin = ({ prob_pred, prob_true, low, high }: CurveBin): string => {
  const dot = drawDot([x(prob_pred), y(prob_true)], 4)
  if (low === null || high === null) return dot
  const capLeft = x(prob_pred) - 4
  const capRight = x(prob_pred) + 4
  return [
    drawSegment([x(prob_pred), y(low)], [x(prob_pred), y(high)], 'bar'),
    drawSegment([capLeft, y(low)], [capRight, y(low)], 'bar'),
    drawSegment([capLeft, y(high)], [capRight, y(high)], 'bar'),
    dot,
  ].join('')
}

const drawSweep = ({ sweep, n }: QuestionFigures): Diagram | undefined => {
  if (sweep === null) return undefined
  const drawFigure = (figure: 'precision' | 'recall' | 'f1', cssClass: string): string => {
    const points: Array<readonly [number, number]> = []
    for (const point of sweep) {
      const value = point[figure]
      if (value !== null) points.push([x(point.at), y(value)])
    }
    return drawPath(points, cssClass)
  }
  const title = 'Threshold'
  const content = [
    drawLegend([
      ['precision', 'series'],
      ['recall', 'second'],
      ['F1', 'third'],
    ]),
    drawAxes('threshold of P(yes)', 'figure'),
    drawFigure('precision', 'series'),
    drawFigure('recall', 'second'),
    drawFigure('f1', 'third'),
  ]
  return {
    title,
    caption:
      'Precision, recall and F1 if rows count as yes from a threshold on: their probability of a yes is at least the threshold.',
    svg: drawSvg(`${title}: precision, recall and F1`, 310, content.join('')),
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

/** The curve leaves out points with fewer rows, which are mostly noise. */
const minPointRows = 20

const drawRisk = ({ risk, n, evidence }: QuestionFigures): Diagram | undefined => {
  const reliable = risk?.filter(({ coverage }) => coverage * n >= minPointRows) ?? []
  if (reliable.length < 2) return undefined
  const hasIntervals = evidence.whyNoWilson === undefined
  const points = reliable.map((point) => {
    const { low, high } = wilson(Math.max(0, point.risk), evidence.nEffective * point.coverage)
    return { ...point, low, high }
  })
  const line = points.map((point) => [x(point.coverage), y(point.risk)] as const)
  const upperEdge = points.map(({ coverage, high }) => [x(coverage), y(high)] as const)
  const lowerEdge = points.map(({ coverage, low }) => [x(coverage), y(low)] as const)
  const title = 'Risk and coverage'
  const content = [
    drawAxes('share of rows accepted, the surest first', 'share of accepted rows that is wrong'),
    hasIntervals ? drawPath([...upperEdge, ...lowerEdge.reverse()], 'band') : '',
    drawPath(line, 'series'),
  ]
  return {
    title,
    caption: `The share of wrong answers if you accept only the surest ones, by the share of rows that you accept, with a 95 % band. The curve begins at ${minPointRows} rows.`,
    svg: drawSvg(title, 310, content.join('')),
    table: {
      columns: ['threshold', 'accepted', 'wrong', 'low', 'high', 'for a person'],
      rows: points.map(({ at, coverage, risk: wrong, low, high }) => [
        formatCell(at),
        ...[coverage, wrong].map(formatPercentCell),
        ...(hasIntervals ? [low, high] : [null, null]).map(formatPercentCell),
        formatPercentCell(1 - coverage),
      ]),
    },
  }
}
