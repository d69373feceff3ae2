import { escapeText, formatCoordinate, type PageTable } from './markup'

/** A diagram about one question. */
export interface Diagram {
  readonly title: string
  /** Explains how to read the diagram. */
  readonly caption: string
  readonly svg: string
  /** The data of the diagram. */
  readonly table: PageTable
}

// The sizes are in units of the SVG.
const width = 400
const leftMargin = 46
const rightMargin = 12
const topMargin = 30
const plotHeight = 240

type Point = readonly [x: number, y: number]

/** Returns the x coordinate of a value from 0 (left) to 1 (right). */
export const x = (value: number): number => leftMargin + value * (width - leftMargin - rightMargin)
/** Returns the y coordinate of a value from 0 (bottom) to 1 (top). */
export const y = (value: number): number => topMargin + (1 - value) * plotHeight

/** Draws an SVG image. Screen readers read `title`. */
export const drawSvg = (title: string, height: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeText(title)}">${content}</svg>`

/** Draws a text. `anchor` is the part of the text that is at the point. `attributes` is more markup. */
export const drawText = (
  [px, py]: Point,
  text: string,
  anchor: 'start' | 'middle' | 'end' = 'middle',
  attributes = '',
): string =>
  `<text x="${formatCoordinate(px)}" y="${formatCoordinate(py)}" text-anchor="${anchor}"${attributes}>${escapeText(text)}</text>`

/** Draws a line through points. */
export const drawPath = (points: ReadonlyArray<Point>, cssClass: string): string => {
  if (points.length === 0) return ''
  const coordinates = points.map(([px, py]) => `${formatCoordinate(px)} ${formatCoordinate(py)}`)
  return `<path class="${cssClass}" d="M${coordinates.join('L')}"/>`
}

/** Draws a straight line. */
export const drawSegment = (from: Point, to: Point, cssClass: string): string =>
  drawPath([from, to], cssClass)

export const drawDot = ([px, py]: Point, radius: number): string =>
  `<circle class="dot" cx="${formatCoordinate(px)}" cy="${formatCoordinate(py)}" r="${radius}"/>`

/** Draws both axes, from 0 to 1, with a grid and titles. */
export const drawAxes = (xTitle: string, yTitle: string): string => {
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
  const grid = ticks.map((tick) =>
    [
      drawSegment([x(tick), y(0)], [x(tick), y(1)], 'grid'),
      drawSegment([x(0), y(tick)], [x(1), y(tick)], 'grid'),
      drawText([x(tick), y(0) + 16], String(tick)),
      drawText([x(0) - 6, y(tick) + 4], String(tick), 'end'),
    ].join(''),
  )
  return [
    ...grid,
    drawText([x(0.5), y(0) + 34], xTitle),
    drawText(
      [12, y(0.5)],
      yTitle,
      'middle',
      ` transform="rotate(-90 12 ${formatCoordinate(y(0.5))})"`,
    ),
  ].join('')
}

/** Draws the legend above the plot: for each entry a piece of its line, and its name. */
export const drawLegend = (
  entries: ReadonlyArray<readonly [name: string, cssClass: string]>,
): string => {
  const entryWidth = 112
  const drawn = entries.map(([name, cssClass], i) => {
    const start = leftMargin + i * entryWidth
    const line = drawSegment([start, 14], [start + 26, 14], cssClass)
    return line + drawText([start + 32, 18], name, 'start')
  })
  return drawn.join('')
}
