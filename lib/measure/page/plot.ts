import { escapeText, formatCoordinate, type PageTable } from './markup'

/** A diagram about one question. */
export interface Diagram {
  readonly title: string
  /** Explains how to read the diagram. */
  readonly caption: string
  readonly svg: string
  readonly table: PageTable
}

// All sizes and distances are in units of the SVG.
const width = 400
const leftMargin = 46
const rightMargin = 12
const topMargin = 30
const plotHeight = 240

/** The distance from the x axis to the baseline of its labels. */
const tickLabelDistance = 16

/** The distance from the x axis to the baseline of its title. */
const axisTitleDistance = 34

/** The height of the labels and the title below the x axis. */
const xAxisHeight = 40

/** The distance from the y axis to the ends of its labels. */
const yLabelDistance = 6

/** The distance from the left edge to the middle of the title of the y axis. */
const yTitleX = 12

/** The height of a diagram without anything below its x axis. */
export const diagramHeight = topMargin + plotHeight + xAxisHeight

/** The distance from the middle of a letter to the baseline. */
const halfLetterHeight = 4

/** The coordinates of a point in the SVG. */
export type Point = readonly [x: number, y: number]

/** Converts a value of the x axis, from 0 (left) to 1 (right), to a coordinate. */
export const toX = (value: number): number =>
  leftMargin + value * (width - leftMargin - rightMargin)

/** Converts a value of the y axis, from 0 (bottom) to 1 (top), to a coordinate. */
export const toY = (value: number): number => topMargin + (1 - value) * plotHeight

/** Draws an SVG image. Screen readers read `title`. `content` is markup. */
export const drawSvg = (title: string, height: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeText(title)}">${content}</svg>`

/** Draws a text. The point is on the baseline of the text, at its start, middle or end. */
export const drawText = (
  [x, y]: Point,
  text: string,
  anchor: 'start' | 'middle' | 'end' = 'middle',
): string =>
  `<text x="${formatCoordinate(x)}" y="${formatCoordinate(y)}" text-anchor="${anchor}">${escapeText(text)}</text>`

/** Draws a text that runs upwards, with its middle at the point. */
const drawVerticalText = ([x, y]: Point, text: string): string => {
  const [textX, textY] = [formatCoordinate(x), formatCoordinate(y)]
  return `<text x="${textX}" y="${textY}" text-anchor="middle" transform="rotate(-90 ${textX} ${textY})">${escapeText(text)}</text>`
}

/** Draws a line through points; empty without points. */
export const drawPath = (points: ReadonlyArray<Point>, cssClass: string): string => {
  if (points.length === 0) return ''
  const coordinates = points.map(([x, y]) => `${formatCoordinate(x)} ${formatCoordinate(y)}`)
  return `<path class="${cssClass}" d="M${coordinates.join('L')}"/>`
}

export const drawSegment = (from: Point, to: Point, cssClass: string): string =>
  drawPath([from, to], cssClass)

export const drawDot = ([x, y]: Point, radius: number): string =>
  `<circle class="dot" cx="${formatCoordinate(x)}" cy="${formatCoordinate(y)}" r="${radius}"/>`

/** Draws both axes, from 0 to 1, with a grid and titles. */
export const drawAxes = (xTitle: string, yTitle: string): string => {
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((tick) => [
    drawSegment([toX(tick), toY(0)], [toX(tick), toY(1)], 'grid'),
    drawSegment([toX(0), toY(tick)], [toX(1), toY(tick)], 'grid'),
    drawText([toX(tick), toY(0) + tickLabelDistance], String(tick)),
    drawText([toX(0) - yLabelDistance, toY(tick) + halfLetterHeight], String(tick), 'end'),
  ])
  return [
    ...grid,
    drawText([toX(0.5), toY(0) + axisTitleDistance], xTitle),
    drawVerticalText([yTitleX, toY(0.5)], yTitle),
  ].join('')
}

/** Draws the legend above the plot: for each curve a line with its CSS class, and its name. */
export const drawLegend = (
  entries: ReadonlyArray<{ readonly name: string; readonly cssClass: string }>,
): string => {
  const entryWidth = 112
  const lineLength = 26
  const nameDistance = 6
  const y = 14
  const drawnEntries = entries.map(({ name, cssClass }, i) => {
    const left = leftMargin + i * entryWidth
    const line = drawSegment([left, y], [left + lineLength, y], cssClass)
    return line + drawText([left + lineLength + nameDistance, y + halfLetterHeight], name, 'start')
  })
  return drawnEntries.join('')
}
