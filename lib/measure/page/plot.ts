import { escapeText, formatCoordinate, type PageTable } from './markup'
import type { Scale } from './scale'

/** A diagram about one question. */
export interface Diagram {
  readonly title: string
  /** Explains how to read the diagram. */
  readonly caption: string
  readonly svg: string
  readonly table: PageTable
}

// All sizes and distances are in units of the SVG.
const width = 480
const leftMargin = 48
/** The room for the labels of lines at their right ends. */
const rightMargin = 106
const topMargin = 28
const plotHeight = 230

/** The distance from the x axis to the baseline of its labels. */
const tickLabelDistance = 17

/** The distance from the x axis to the baseline of its title. */
const axisTitleDistance = 35

/** The height of the labels and the title below the x axis. */
const xAxisHeight = 42

/** The distance from the y axis to the ends of its labels, and from a line to its label. */
const labelDistance = 6

/** The height of a diagram without further content below the x axis. */
export const diagramHeight = topMargin + plotHeight + xAxisHeight

/** The distance from the middle of a line of digits to its baseline. */
const halfLetterHeight = 4

/** The coordinates of a point in the SVG. */
export type Point = readonly [x: number, y: number]

/** The plot of a diagram: converts values of its axes to coordinates. */
export interface Plot {
  readonly x: Scale
  readonly y: Scale
  readonly toX: (value: number) => number
  readonly toY: (value: number) => number
}

/** Creates the plot with these axes. */
export const createPlot = (x: Scale, y: Scale): Plot => ({
  x,
  y,
  toX: (value) =>
    leftMargin + ((value - x.low) / (x.high - x.low)) * (width - leftMargin - rightMargin),
  toY: (value) => topMargin + ((y.high - value) / (y.high - y.low)) * plotHeight,
})

/** Draws an SVG image. Screen readers read `title`. `content` is markup. */
export const drawSvg = (title: string, height: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeText(title)}">${content}</svg>`

/** Draws a text. The point is on the baseline of the text, at its start, middle or end. */
export const drawText = (
  [x, y]: Point,
  text: string,
  anchor: 'start' | 'middle' | 'end' = 'middle',
  cssClass = '',
): string => {
  const classAttribute = cssClass === '' ? '' : ` class="${cssClass}"`
  return `<text${classAttribute} x="${formatCoordinate(x)}" y="${formatCoordinate(y)}" text-anchor="${anchor}">${escapeText(text)}</text>`
}

/** Draws a line through points; empty without points. */
export const drawPath = (points: ReadonlyArray<Point>, cssClass: string): string => {
  if (points.length === 0) return ''
  const coordinates = points.map(([x, y]) => `${formatCoordinate(x)} ${formatCoordinate(y)}`)
  return `<path class="${cssClass}" d="M${coordinates.join('L')}"/>`
}

export const drawSegment = (from: Point, to: Point, cssClass: string): string =>
  drawPath([from, to], cssClass)

export const drawDot = ([x, y]: Point, radius: number, cssClass = 'dot'): string =>
  `<circle class="${cssClass}" cx="${formatCoordinate(x)}" cy="${formatCoordinate(y)}" r="${radius}"/>`

/** Draws the axes with their ticks and titles, and the horizontal lines of the grid. The title of the y axis is above its top. */
export const drawAxes = (plot: Plot, xTitle: string, yTitle: string): string => {
  const { x, y, toX, toY } = plot
  const [left, right, bottom] = [toX(x.low), toX(x.high), toY(y.low)]
  const rows = y.ticks.flatMap(({ value, label }) => [
    drawSegment([left, toY(value)], [right, toY(value)], 'grid'),
    drawText([left - labelDistance, toY(value) + halfLetterHeight], label, 'end'),
  ])
  const columns = x.ticks.flatMap(({ value, label }) => [
    drawSegment([toX(value), bottom], [toX(value), bottom + 4], 'axis'),
    drawText([toX(value), bottom + tickLabelDistance], label),
  ])
  return [
    ...rows,
    ...columns,
    drawSegment([left, bottom], [right, bottom], 'axis'),
    drawText([0, toY(y.high) - 14], `↑ ${yTitle}`, 'start', 'soft'),
    drawText([right, bottom + axisTitleDistance], `${xTitle} →`, 'end', 'soft'),
  ].join('')
}

/** Draws a horizontal line for a value of the y axis that matters. `drawEndLabels` labels it. */
export const drawLevel = ({ x, toX, toY }: Plot, value: number): string =>
  drawSegment([toX(x.low), toY(value)], [toX(x.high), toY(value)], 'ideal')

/** The label of a line, beside its right end. */
export interface EndLabel {
  readonly text: string
  readonly cssClass: string
  /** The y coordinate of the end of the line. */
  readonly y: number
}

/** The minimum distance of two labels from baseline to baseline. */
const labelHeight = 14

/** Draws labels at the right of the plot, each beside the end of its line. Labels that would overlap move apart. */
export const drawEndLabels = ({ x, toX }: Plot, labels: ReadonlyArray<EndLabel>): string => {
  const bottom = topMargin + plotHeight
  const sorted = [...labels].sort((a, b) => a.y - b.y)
  const yOfLabels: number[] = []
  for (const { y } of sorted) {
    const above = yOfLabels.at(-1) ?? Number.NEGATIVE_INFINITY
    yOfLabels.push(Math.max(y, above + labelHeight))
  }
  // Labels that were pushed below the plot push those above them back.
  let below = bottom + labelHeight
  for (let i = yOfLabels.length - 1; i >= 0; i--) {
    below = Math.min(yOfLabels[i] as number, below - labelHeight)
    yOfLabels[i] = below
  }
  const left = toX(x.high) + labelDistance
  return sorted
    .map(({ text, cssClass }, i) =>
      drawText([left, (yOfLabels[i] as number) + halfLetterHeight], text, 'start', cssClass),
    )
    .join('')
}
