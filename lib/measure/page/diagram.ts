import { escapeText, formatCoordinate, type PageTable } from './markup'

/** A diagram of one question, with the same data as a table. */
export interface Diagram {
  readonly title: string
  /** One sentence on how to read it. */
  readonly caption: string
  readonly svg: string
  readonly table: PageTable
}

/** The width of a drawing, the margins around its plot and the height of the plot, in units of the SVG. */
const width = 400
const left = 46
const right = 12
const top = 30
const plotHeight = 240

type Point = readonly [x: number, y: number]

/** Returns the x coordinate of a value from 0 (left) to 1 (right). */
export const x = (share: number): number => left + share * (width - left - right)
/** Returns the y coordinate of a value from 0 (bottom) to 1 (top). */
export const y = (share: number): number => top + (1 - share) * plotHeight

/** Draws an SVG image. `title` is its name for screen readers. */
export const drawSvg = (title: string, height: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeText(title)}">${content}</svg>`

/** Draws a text. `anchor` is the part of the text at the point. */
export const drawText = (
  at: Point,
  text: string,
  anchor: 'start' | 'middle' | 'end' = 'middle',
  style = '',
): string =>
  `<text x="${formatCoordinate(at[0])}" y="${formatCoordinate(at[1])}" text-anchor="${anchor}"${style}>${escapeText(text)}</text>`

/** Draws a line through points. `style` is its CSS class. */
export const drawPath = (points: ReadonlyArray<Point>, style: string): string =>
  points.length === 0
    ? ''
    : `<path class="${style}" d="M${points.map(([px, py]) => `${formatCoordinate(px)} ${formatCoordinate(py)}`).join('L')}"/>`

/** Draws a straight line. */
export const drawSegment = (from: Point, to: Point, style: string): string =>
  drawPath([from, to], style)

export const drawDot = ([px, py]: Point, radius: number): string =>
  `<circle class="dot" cx="${formatCoordinate(px)}" cy="${formatCoordinate(py)}" r="${radius}"/>`

/** Draws both axes, from 0 to 1, with a grid. `across` and `up` are their names. */
export const drawAxes = (across: string, up: string): string => {
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
    drawText([x(0.5), y(0) + 34], across),
    drawText([12, y(0.5)], up, 'middle', ` transform="rotate(-90 12 ${formatCoordinate(y(0.5))})"`),
  ].join('')
}

/** Draws the legend above the plot: a sample of each line, followed by its name. */
export const drawLegend = (
  entries: ReadonlyArray<readonly [name: string, style: string]>,
): string =>
  entries
    .map(([name, style], i) => {
      const from = left + i * 112
      return (
        drawSegment([from, 14], [from + 26, 14], style) + drawText([from + 32, 18], name, 'start')
      )
    })
    .join('')
