import { join } from 'node:path'
import type { NamedScenario } from '../../lib/replay/scenarios'
import { root } from '../support/folders'
import { formatSession } from './shell-session'

/** The scenario that README.md shows as a picture. */
const picturedScenario = 'ask/table-unmet'

export const pictureFile = join(root, 'test/golden/terminal.svg')

// All lengths are in pixels.
const characterWidth = 8
const lineHeight = 20
const margin = 20

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Returns `true` for a line that a person types: the command, or its continuation with a flag. */
const isTyped = (line: string): boolean => /^(\$| {4}--)/.test(line)

/** Draws the session of `picturedScenario` as an SVG picture, which is light or dark like the reader's system. */
export const drawPicture = (scenarios: ReadonlyArray<NamedScenario>): string => {
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
    return `<text ${position}${isTyped(line) ? ' class="typed"' : ''}>${escapeMarkup(line)}</text>`
  })
  // The frame is 1 pixel wide, so the middle of its line is half a pixel inside the picture.
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${escapeMarkup(namedScenario.scenario.title)}</title>
<style>
rect{fill:#fafafa;stroke:#d0d7de}text{fill:#24292f;font:13px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}.typed{fill:#0550ae;font-weight:600}
@media (prefers-color-scheme:dark){rect{fill:#161b22;stroke:#30363d}text{fill:#e6edf3}.typed{fill:#79c0ff}}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${rows.join('\n')}
</svg>
`
}
