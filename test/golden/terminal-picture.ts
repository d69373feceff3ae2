import { join } from 'node:path'
import type { NamedScenario } from '../../lib/replay/scenarios'
import { root } from '../support/folders'
import { session } from './shell-session'

/** The scenario that README.md shows as a picture. */
const pictured = 'ask/table-unmet'

/** Where the picture is. */
export const pictureFile = join(root, 'test/golden/terminal.svg')

/** The width of a character and the height of a line, in pixels, and the space around the text. */
const [across, down, margin] = [8, 20, 20]

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** What a person types stands out. */
const isTyped = (line: string): boolean => /^(\$| {4}--)/.test(line)

/** Draws what a terminal shows of a scenario as an SVG picture, light or dark as the reader's system is. */
export const drawPicture = (all: ReadonlyArray<NamedScenario>): string => {
  const named = all.find(({ name }) => name === pictured)
  if (named === undefined) throw new Error(`no scenario ${pictured}`)
  const lines = session(named).trimEnd().split('\n')
  const width = Math.max(...lines.map((line) => line.length)) * across + 2 * margin
  const height = lines.length * down + 2 * margin
  const rows = lines.map((line, index) => {
    const place = `x="${margin}" y="${margin + (index + 0.75) * down}" textLength="${line.length * across}"`
    return `<text ${place}${isTyped(line) ? ' class="typed"' : ''}>${escapeMarkup(line)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${escapeMarkup(named.scenario.title)}</title>
<style>
rect{fill:#fafafa;stroke:#d0d7de}text{fill:#24292f;font:13px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}.typed{fill:#0550ae;font-weight:600}
@media (prefers-color-scheme:dark){rect{fill:#161b22;stroke:#30363d}text{fill:#e6edf3}.typed{fill:#79c0ff}}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${rows.join('\n')}
</svg>
`
}
