import type { QuestionFigures } from '../evaluate/figures'
import type { CurveBin } from '../statistics/calibration'
import { wilsonInterval } from '../statistics/intervals'
import { formatCell, formatPercentCell, formatShortCount } from './markup'
import {
  type Diagram,
  diagramHeight,
  drawAxes,
  drawDot,
  drawLegend,
  drawPath,
  drawSegment,
  drawSvg,
  drawText,
  type Point,
  toX,
  toY,
} from './plot'

/**
 * Draws the diagrams for which a question has data: the reliability of its probabilities, precision and recall by threshold,
 * and the share of wrong answers by the share of accepted ones.
 */
export const drawDiagrams = (figures: QuestionFigures): ReadonlyArray<Diagram> =>
  [drawReliability(figures), drawThresholds(figures), drawRisk(figures)].filter(
    (diagram) => diagram !== undefined,
  )

/** The height of two lines of text below the reliability diagram: the numbers of rows in each bin, and their title. */
const countsHeight = 34

/** The distances from the x axis to the baselines of these two lines. */
const countsDistance = { numbers: 54, title: 70 } as const

/** The radius of a dot, and half the width of the caps of its interval. */
const dotRadius = 4

const drawReliability = ({ type, calibrationCurve }: QuestionFigures): Diagram | undefined => {
  if (calibrationCurve === null) return undefined
  const predicted = type === 'noul' ? 'probability of a yes' : 'probability of the decision'
  const observed = type === 'noul' ? 'share of rows that are a yes' : 'share of right decisions'
  const counts = calibrationCurve.map(({ lower, upper, count }) =>
    drawText([toX((lower + upper) / 2), toY(0) + countsDistance.numbers], formatShortCount(count)),
  )
  const title = 'Reliability'
  const content = [
    drawAxes(predicted, observed),
    drawSegment([toX(0), toY(0)], [toX(1), toY(1)], 'ideal'),
    ...calibrationCurve.map(drawBin),
    ...counts,
    drawText([toX(0.5), toY(0) + countsDistance.title], 'rows in each tenth'),
  ]
  return {
    title,
    caption: `Each dot stands for the rows in a tenth of the scale. It shows their mean ${predicted} and the ${observed}, with a 95 % interval. Dots of perfect probabilities are on the dotted line. The numbers below are the rows in each tenth.`,
    svg: drawSvg(
      `${title}: ${predicted} and ${observed}`,
      diagramHeight + countsHeight,
      content.join(''),
    ),
    table: {
      columns: ['from', 'to', 'rows', 'predicted', 'observed', 'low', 'high'],
      rows: calibrationCurve.map(({ lower, upper, count, prob_pred, prob_true, low, high }) => [
        ...[lower, upper, count].map(formatCell),
        ...[prob_pred, prob_true, low, high].map(formatPercentCell),
      ]),
    },
  }
}

/**
 * Draws a bin of the calibration curve as a dot, with its interval as a bar with caps if there is one. `prob_pred` is the mean
 * predicted probability of its rows, `prob_true` the observed share.
 */
const drawBin = ({ prob_pred, prob_true, low, high }: CurveBin): string => {
  const binX = toX(prob_pred)
  const dot = drawDot([binX, toY(prob_true)], dotRadius)
  if (low === null || high === null) return dot
  const drawCap = (end: number): string =>
    drawSegment([binX - dotRadius, toY(end)], [binX + dotRadius, toY(end)], 'bar')
  const bar = drawSegment([binX, toY(low)], [binX, toY(high)], 'bar')
  return [bar, drawCap(low), drawCap(high), dot].join('')
}

const thresholdCurves = [
  { name: 'precision', figure: 'precision', cssClass: 'series' },
  { name: 'recall', figure: 'recall', cssClass: 'second' },
  { name: 'F1', figure: 'f1', cssClass: 'third' },
] as const

/** Draws precision, recall and F1 at each threshold `at` of the sweep, which goes through the thresholds from 0 to 1. */
const drawThresholds = ({ sweep, labelledRows }: QuestionFigures): Diagram | undefined => {
  if (sweep === null) return undefined
  const curves = thresholdCurves.map(({ figure, cssClass }) => {
    const points = sweep.flatMap((sweepPoint): ReadonlyArray<Point> => {
      const value = sweepPoint[figure]
      return value === null ? [] : [[toX(sweepPoint.at), toY(value)]]
    })
    return drawPath(points, cssClass)
  })
  const title = 'Threshold'
  const axes = drawAxes('threshold of P(yes)', 'figure')
  const content = [drawLegend(thresholdCurves), axes, ...curves]
  return {
    title,
    caption:
      'Precision, recall and F1 if rows count as yes from a threshold on: their probability of a yes is at least the threshold.',
    svg: drawSvg(`${title}: precision, recall and F1`, diagramHeight, content.join('')),
    table: {
      columns: ['at', 'precision', 'recall', 'F1', 'accuracy', 'accepted', 'rows for a person'],
      rows: sweep.map(({ at, precision, recall, f1, accuracy, accepted }) => [
        formatCell(at),
        ...[precision, recall].map(formatPercentCell),
        formatCell(f1),
        formatPercentCell(accuracy),
        ...[accepted, labelledRows - accepted].map(String),
      ]),
    },
  }
}

/** The risk curve leaves out points with fewer accepted rows, which are mostly noise. */
const minPointRows = 20

/** Draws the risk: the share of wrong answers among those accepted. The coverage is the share of rows accepted. */
const drawRisk = ({
  riskCoverage,
  labelledRows,
  evidence,
}: QuestionFigures): Diagram | undefined => {
  // Without a curve there are no points.
  const reliablePoints =
    riskCoverage?.filter(({ coverage }) => coverage * labelledRows >= minPointRows) ?? []
  // A curve takes two points.
  if (reliablePoints.length < 2) return undefined
  const hasIntervals = evidence.noWilsonReason === undefined
  const points = reliablePoints.map((point) => {
    // The interval is that of the accepted part of the rows. A rounding error can make the risk slightly negative.
    const { low, high } = wilsonInterval(
      Math.max(0, point.risk),
      evidence.effectiveRows * point.coverage,
    )
    return { ...point, low, high }
  })
  const line = points.map((point): Point => [toX(point.coverage), toY(point.risk)])
  const upperEdge = points.map(({ coverage, high }): Point => [toX(coverage), toY(high)])
  const lowerEdge = points.map(({ coverage, low }): Point => [toX(coverage), toY(low)])
  // The outline of the band runs along its upper edge, and back along the lower one.
  const bandOutline = [...upperEdge, ...lowerEdge.reverse()]
  const title = 'Risk and coverage'
  const content = [
    drawAxes('share of rows accepted, the surest first', 'share of accepted rows that is wrong'),
    hasIntervals ? drawPath(bandOutline, 'band') : '',
    drawPath(line, 'series'),
  ]
  return {
    title,
    caption: `The share of wrong answers if you accept only the surest ones, by the share of rows that you accept, with a 95 % band. The curve begins at ${minPointRows} rows.`,
    svg: drawSvg(title, diagramHeight, content.join('')),
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
