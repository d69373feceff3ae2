import { join } from 'node:path'
import type { NamedScenario } from '../../lib/replay/scenarios'
import { root } from '../support/folders'
import { formatSession } from './shell-session'

/** The scenario that README.md shows as a picture. */
const picturedScenario = 'engines/embedded-table'

/** The colours of a picture: paper, frame, text, typed text and errors. */
interface PictureColours {
  readonly paper: string
  readonly frame: string
  readonly ink: string
  readonly typed: string
  readonly error: string
}

/** The pictures of README.md, which shows the one that fits the theme of the page. */
export const pictures: ReadonlyArray<{
  readonly file: string
  readonly colours: PictureColours
}> = [
  {
    file: join(root, 'test/golden/terminal.svg'),
    colours: {
      paper: '#fafafa',
      frame: '#d0d7de',
      ink: '#24292f',
      typed: '#0550ae',
      error: '#a40e26',
    },
  },
  {
    file: join(root, 'test/golden/terminal-dark.svg'),
    colours: {
      paper: '#161b22',
      frame: '#30363d',
      ink: '#e6edf3',
      typed: '#79c0ff',
      error: '#ff7b72',
    },
  },
]

// All lengths are in pixels.
const characterWidth = 8
const lineHeight = 20
const margin = 20

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Returns `true` for a line that a person types: the command, or its continuation with a flag. */
const isTyped = (line: string): boolean => /^(\$| {4}--)/.test(line)

/** Returns the class of a line: what a person types, or an error. */
const chooseClass = (line: string): string => {
  if (isTyped(line)) return ' class="typed"'
  return line.startsWith('svc:') ? ' class="error"' : ''
}

/** Draws the session of `picturedScenario` as an SVG picture. */
export const drawPicture = (
  scenarios: ReadonlyArray<NamedScenario>,
  { paper, frame, ink, typed, error }: PictureColours,
): string => {
  const namedScenario = scenarios.find(({ name }) => name === picturedScenario)
  if (namedScenario === undefined) throw new Error(`no scenario ${picturedScenario}`)
  const lines = formatSession(namedScenario).trimEnd().split('\n')
  const maxLineLength = Math.max(...lines.map((line) => line.length))
  const width = maxLineLength * characterWidth + 2 * margin
  const height = lines.length * lineHeight + 2 * margin
  const rows = lines.map((line, index) => {
    // The baseline of a text is at three quarters of its line.
    const baseline = margin + (index + 0.75) * lineHeight
    const position = `x="${margin}" y="${baseline}" textLength="${line.length * characterWidth}"`
    return `<text ${position}${chooseClass(line)}>${escapeMarkup(line)}</text>`
  })
  // The frame is 1 pixel wide, so the middle of its line is half a pixel inside the picture.
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${escapeMarkup(namedScenario.scenario.title)}</title>
<style>
rect{fill:${paper};stroke:${frame}}text{fill:${ink};font:13px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}.typed{fill:${typed};font-weight:600}.error{fill:${error}}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${rows.join('\n')}
</svg>
`
}
