import type { PricedPoint, QuestionCascade } from '../cascade/measure-cascade'
import { formatTenthPercent } from '../format-figures'
import type { Interval } from '../statistics/intervals'
import { formatPercentCell } from './markup'
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
import { createMoneyFormat, fitMoneyScale, fitShareScale, fullShareScale } from './scale'

/**
 * Draws the accuracy against the cost, or against the share of rows that b is asked about if a cost is unknown. `margin` is the maximum
 * loss of accuracy, from 0 to 1.
 */
export const drawCascadeCurve = ({ points, cut }: QuestionCascade, margin: number): Diagram => {
  const costs = points.map(({ cost }) => cost ?? 0)
  const maxCost = Math.max(...costs)
  const isPriced = points.every(({ cost }) => cost !== undefined && cost !== null) && maxCost > 0
  const onlyB = points.find(({ at }) => at === null)
  const minAccuracy = onlyB === undefined ? undefined : Math.max(0, onlyB.accuracy - margin)
  const shares = points.flatMap(({ accuracy, interval }) => [accuracy, interval.low, interval.high])
  const plot = createPlot(
    isPriced ? fitMoneyScale(maxCost) : fullShareScale,
    fitShareScale(minAccuracy === undefined ? shares : [...shares, minAccuracy]),
  )
  const locate = ({ asked, cost, accuracy }: PricedPoint): Point => [
    plot.toX(isPriced ? (cost ?? 0) : asked),
    plot.toY(accuracy),
  ]
  const formatMoney = createMoneyFormat(costs)
  const cutPoint = cut === null ? undefined : points.find(({ at }) => at === cut.at)
  const xTitle = isPriced ? 'cost of all rows' : 'rows that b is asked about'
  const title = 'Cost and accuracy'
  const content = [
    drawAxes(plot, xTitle, 'right answers'),
    minAccuracy === undefined ? '' : drawLevel(plot, minAccuracy),
    drawPath(points.map(locate), 'series'),
    ...points.map((point) => drawAccuracy(plot, locate(point), point.interval, point === cutPoint)),
    drawEndLabels(plot, labelLines(plot, onlyB, minAccuracy, margin)),
    ...points.filter(({ asked }) => asked === 0).map((point) => labelOnlyA(locate(point), point)),
    cutPoint === undefined
      ? ''
      : labelCut(
          [locate(cutPoint)[0], findLabelTop(plot, locate, points, cutPoint)],
          cutPoint,
          isPriced ? maxCost : null,
        ),
  ]
  return {
    title,
    caption: `Each dot is a threshold. Across: ${xTitle}. Up: share of right answers, with its 95 % interval. The dashed line is the least accuracy that you allow.${cutPoint === undefined ? '' : ' The large dot is the cut.'}`,
    svg: drawSvg(title, diagramHeight, content.join('')),
    table: {
      columns: [isPriced ? 'cost' : 'b is asked', 'right', 'low', 'high'],
      rows: points.map(({ asked, cost, accuracy, interval }) => [
        isPriced ? formatMoney(cost ?? 0) : formatPercentCell(asked),
        ...[accuracy, interval.low, interval.high].map(formatTenthPercent),
      ]),
    },
  }
}

/** Draws the accuracy of a threshold as a dot, with its interval. The dot of the cut is larger. */
const drawAccuracy = ({ toY }: Plot, point: Point, interval: Interval, isCut: boolean): string => {
  const [x] = point
  const bar = drawSegment([x, toY(interval.low)], [x, toY(interval.high)], 'bar')
  return bar + (isCut ? drawDot(point, 6, 'cut') : drawDot(point, 3.5))
}

/** Labels the accuracy of asking only b, and the least accuracy that the margin allows. */
const labelLines = (
  { toY }: Plot,
  onlyB: PricedPoint | undefined,
  minAccuracy: number | undefined,
  margin: number,
): ReadonlyArray<EndLabel> =>
  onlyB === undefined || minAccuracy === undefined
    ? []
    : [
        {
          text: `only b: ${formatTenthPercent(onlyB.accuracy)}`,
          cssClass: '',
          y: toY(onlyB.accuracy),
        },
        { text: `${formatPointCount(margin)} below b`, cssClass: 'soft', y: toY(minAccuracy) },
      ]

/** Formats a margin, from 0 to 1, in percentage points. */
export const formatPointCount = (margin: number): string => {
  const points = Number((margin * 100).toFixed(1))
  return points === 1 ? '1 point' : `${points} points`
}

const labelOnlyA = ([x, y]: Point, { accuracy }: PricedPoint): string =>
  drawText([x + 8, y + 16], `only a: ${formatTenthPercent(accuracy)}`, 'start')

/** Returns the y coordinate below the intervals of the cut and of the points at its right, where its label overlaps none of them. */
const findLabelTop = (
  { y, toY }: Plot,
  locate: (point: PricedPoint) => Point,
  points: ReadonlyArray<PricedPoint>,
  cutPoint: PricedPoint,
): number => {
  const [cutX] = locate(cutPoint)
  const ends = points
    .filter((point) => locate(point)[0] >= cutX)
    .map(({ interval }) => toY(interval.low))
  // The label has two lines.
  return Math.min(Math.max(...ends), toY(y.low) - 46)
}

/** From this x coordinate on, the label of the cut is at the left of it, because it would leave the diagram. */
const maxLeftAlignedX = 290

/** Says at the cut what it gives. `maxCost` is the cost of asking only b; null if costs are unknown. */
const labelCut = ([x, top]: Point, point: PricedPoint, maxCost: number | null): string => {
  const { asked, accuracy, cost } = point
  const savedShare = maxCost === null ? undefined : 1 - (cost ?? 0) / maxCost
  const cheaper = savedShare === undefined ? '' : `, ${Math.round(savedShare * 100)} % cheaper`
  const lines = [
    `cut: b is asked ${formatPercentCell(asked)},`,
    `${formatTenthPercent(accuracy)} right${cheaper}`,
  ]
  const anchor = x > maxLeftAlignedX ? 'end' : 'start'
  return lines.map((line, i) => drawText([x, top + 26 + i * 14], line, anchor, 'strong')).join('')
}
