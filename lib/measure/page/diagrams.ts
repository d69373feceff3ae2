import { max } from 'd3-array'
import type { QuestionFigures } from '../evaluate/figures'
import { formatShare } from '../format-figures'
import type { CurveBin } from '../statistics/calibration'
import { wilsonInterval } from '../statistics/intervals'
import { formatCell, formatPercentCell, formatShortCount } from './markup'
import {
  createPlot,
  type Diagram,
  diagramHeight,
  drawAxes,
  drawDot,
  drawEndLabels,
  drawLevel,
  drawPath,
  drawSegment,
  drawSvg,
  drawText,
  type EndLabel,
  type Plot,
  type Point,
} from './plot'
import { fitShareScale, fullShareScale } from './scale'

/**
 * Draws the diagrams for which a question has data: the reliability of its probabilities, precision and recall by threshold,
 * and the share of wrong answers by the share of accepted ones.
 */
export const drawDiagrams = (figures: QuestionFigures): ReadonlyArray<Diagram> =>
  [drawReliability(figures), drawThresholds(figures), drawRisk(figures)].filter(
    (diagram) => diagram !== undefined,
  )

/** The plot of diagrams with shares from 0 % to 100 % on both axes. */
const fullPlot = createPlot(fullShareScale, fullShareScale)

/** The probability from which on a row counts as a yes. */
const yesThreshold = 0.5

/** Marks the threshold of a yes by a vertical line. */
const drawYesThreshold = ({ toX, toY }: Plot): string =>
  drawSegment([toX(yesThreshold), toY(0)], [toX(yesThreshold), toY(1)], 'ideal') +
  drawText([toX(yesThreshold) + 5, toY(0) - 6], 'yes from 50 %', 'start', 'soft')

/** The height of the bars below the reliability diagram, which show the numbers of rows in each bin, with their labels. */
const barsHeight = 70
const maxBarHeight = 34

/** The distance from the x axis to the line that the bars stand on. */
const barsDistance = 102

/** The radius of a dot, and half the width of the caps of its interval. */
const dotRadius = 4

const drawReliability = ({ type, calibrationCurve }: QuestionFigures): Diagram | undefined => {
  if (calibrationCurve === null) return undefined
  const isNoul = type === 'noul'
  const predicted = isNoul ? 'probability of a yes' : 'probability of the decision'
  const observed = isNoul ? 'share of rows that are a yes' : 'share of right decisions'
  const title = 'Reliability'
  const { toX, toY } = fullPlot
  const content = [
    drawAxes(fullPlot, predicted, observed),
    drawSegment([toX(0), toY(0)], [toX(1), toY(1)], 'ideal'),
    drawEndLabels(fullPlot, [{ text: 'perfect', cssClass: 'soft', y: toY(1) }]),
    isNoul ? drawYesThreshold(fullPlot) : '',
    ...calibrationCurve.map(drawBin),
    drawCountBars(calibrationCurve),
  ]
  return {
    title,
    caption: `Each dot stands for the rows in a tenth of the scale. It shows their mean ${predicted} and the ${observed}, with a 95 % interval. Dots of perfect probabilities are on the dashed line. The bars are the numbers of rows.`,
    svg: drawSvg(
      `${title}: ${predicted} and ${observed}`,
      diagramHeight + barsHeight,
      content.join(''),
    ),
    table: {
      columns: ['from', 'to', 'rows', 'predicted', 'observed', 'low', 'high'],
      rows: calibrationCurve.map(({ lower, upper, count, prob_pred, prob_true, low, high }) => [
        ...[lower, upper].map(formatPercentCell),
        formatCell(count),
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
  const { toX, toY } = fullPlot
  const binX = toX(prob_pred)
  const dot = drawDot([binX, toY(prob_true)], dotRadius)
  if (low === null || high === null) return dot
  const drawCap = (end: number): string =>
    drawSegment([binX - dotRadius, toY(end)], [binX + dotRadius, toY(end)], 'bar')
  const bar = drawSegment([binX, toY(low)], [binX, toY(high)], 'bar')
  return [bar, drawCap(low), drawCap(high), dot].join('')
}

/** Draws the number of rows in each bin as a bar with its number above it. */
const drawCountBars = (bins: ReadonlyArray<CurveBin>): string => {
  const { toX, toY } = fullPlot
  const bottom = toY(0) + barsDistance
  const maxCount = max(bins, ({ count }) => count) ?? 1
  const bars = bins.flatMap(({ lower, upper, count }) => {
    const top = bottom - (count / maxCount) * maxBarHeight
    const [left, right] = [toX(lower) + 2, toX(upper) - 2]
    const outline: ReadonlyArray<Point> = [
      [left, bottom],
      [left, top],
      [right, top],
      [right, bottom],
    ]
    return [
      drawPath(outline, 'count'),
      drawText([(left + right) / 2, top - 4], formatShortCount(count)),
    ]
  })
  const axis = drawSegment([toX(0), bottom], [toX(1), bottom], 'axis')
  return [...bars, axis, drawText([toX(1) + 6, bottom], 'rows', 'start', 'soft')].join('')
}

const thresholdCurves = [
  { name: 'precision', figure: 'precision', cssClass: 'series' },
  { name: 'recall', figure: 'recall', cssClass: 'second' },
  { name: 'F1', figure: 'f1', cssClass: 'third' },
] as const

/** Draws precision, recall and F1 at each threshold `at` of the sweep, which goes through the thresholds from 0 to 1. */
const drawThresholds = ({ sweep, labelledRows }: QuestionFigures): Diagram | undefined => {
  if (sweep === null) return undefined
  const { toX, toY } = fullPlot
  const labels: EndLabel[] = []
  const curves = thresholdCurves.map(({ name, figure, cssClass }) => {
    const points = sweep.flatMap((sweepPoint): ReadonlyArray<Point> => {
      const value = sweepPoint[figure]
      return value === null ? [] : [[toX(sweepPoint.at), toY(value)]]
    })
    const lastPoint = points.at(-1)
    if (lastPoint !== undefined)
      labels.push({ text: name, cssClass: `${cssClass}-label`, y: lastPoint[1] })
    return drawPath(points, cssClass)
  })
  const title = 'Threshold'
  const axes = drawAxes(fullPlot, 'threshold of P(yes)', 'precision, recall and F1')
  const content = [axes, drawYesThreshold(fullPlot), ...curves, drawEndLabels(fullPlot, labels)]
  return {
    title,
    caption:
      'Precision, recall and F1 if rows count as yes from a threshold on: their probability of a yes is at least the threshold. All other figures of the page have the threshold 50 %.',
    svg: drawSvg(`${title}: precision, recall and F1`, diagramHeight, content.join('')),
    table: {
      columns: ['at', 'precision', 'recall', 'F1', 'accuracy', 'accepted', 'rows for a person'],
      rows: sweep.map(({ at, precision, recall, f1, accuracy, accepted }) => [
        formatPercentCell(at),
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

/** The accuracies that the risk diagram marks. */
const markedAccuracies = [0.8, 0.9, 0.95]

/** From this coverage on, the band of the risk always fits the diagram. Below, few rows make it so wide that it would hide the curve. */
const minFittedCoverage = 0.25

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
  const fittedValues = points.flatMap(({ coverage, risk, high }) =>
    hasIntervals && coverage >= minFittedCoverage ? [risk, high] : [risk],
  )
  const plot = createPlot(fullShareScale, fitShareScale([0, ...fittedValues]))
  const { y, toX } = plot
  // The band ends at the top of the diagram.
  const toY = (share: number): number => plot.toY(Math.min(y.high, share))
  const line = points.map((point): Point => [toX(point.coverage), toY(point.risk)])
  const upperEdge = points.map(({ coverage, high }): Point => [toX(coverage), toY(high)])
  const lowerEdge = points.map(({ coverage, low }): Point => [toX(coverage), toY(low)])
  // The outline of the band runs along its upper edge, and back along the lower one.
  const bandOutline = [...upperEdge, ...lowerEdge.reverse()]
  const levels = markedAccuracies.filter((accuracy) => 1 - accuracy <= y.high)
  const title = 'Risk and coverage'
  const content = [
    drawAxes(plot, 'accepted rows, the surest first', 'wrong among the accepted'),
    hasIntervals ? drawPath(bandOutline, 'band') : '',
    ...levels.map((accuracy) => drawLevel(plot, 1 - accuracy)),
    drawPath(line, 'series'),
    drawEndLabels(
      plot,
      levels.map((accuracy) => ({
        text: `${formatShare(accuracy)} right`,
        cssClass: 'soft',
        y: toY(1 - accuracy),
      })),
    ),
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
