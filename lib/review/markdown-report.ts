import { formatInertMarkdown, formatMarkdownLine, formatMarkdownTable } from '../text/markdown'
import { escapeCiCommands } from '../text/sanitize'
import type { UnitReport } from './report'
import { describeReviewFlag, formatTwoDecimals } from './verdict'

const columns = ['Unit', 'Behaviors covered', 'Contradicts', 'Thoroughness', 'Weakest', 'Flags']

/**
 * Formats the Markdown summary, without a final newline. A table lists all units. A section follows for each unit with an error,
 * a flag, or a stale acceptance.
 */
export const formatMarkdownReport = (
  units: ReadonlyArray<UnitReport>,
  minCover: number,
): string => {
  const table = formatMarkdownTable(
    columns,
    units.map((unit) => formatRow(unit, minCover)),
  )
  const blocks = ['# svc review', table, ...units.flatMap(formatUnitSection)]
  return escapeCiCommands(blocks.join('\n\n'))
}

const formatRow = (unit: UnitReport, minCover: number): ReadonlyArray<string> => {
  const coveredCount = unit.behaviors.filter(({ covered }) => covered >= minCover).length
  const behaviors = `${coveredCount}/${unit.behaviorCount}`
  const name = formatInertMarkdown(unit.name)
  if (unit.error !== '') return [name, behaviors, '-', '-', '-', 'error']
  return [
    name,
    behaviors,
    formatTwoDecimals(unit.contradictsSpec),
    `${formatTwoDecimals(unit.thoroughness)} (${formatTwoDecimals(unit.thoroughnessConfidence)})`,
    formatInertMarkdown(unit.weakestArea),
    unit.failing ? `${unit.flags.length} FAIL` : `${unit.flags.length}`,
  ]
}

/** Formats the section of a unit as a list of paragraphs, which is empty if there is nothing to report. */
const formatUnitSection = (unit: UnitReport): ReadonlyArray<string> => {
  const title = `## ${formatInertMarkdown(unit.name)}`
  if (unit.error !== '') return [title, `error: ${formatInertMarkdown(unit.error)}`]
  if (unit.flags.length === 0 && unit.staleAcceptances.length === 0) return []
  const notes = unit.notes.map((note) => `note: ${formatInertMarkdown(note)}`)
  if (unit.truncated) notes.unshift('note: sources were truncated to fit the state budget')
  const bullets = [
    ...unit.flags.map(describeReviewFlag).sort(),
    ...unit.staleAcceptances.map((name) => `acceptance did not fire: ${name}`),
  ]
  return [
    title,
    ...notes,
    bullets.map((text) => `- ${escapeMarkup(formatMarkdownLine(text))}`).join('\n'),
  ]
}

/** Escapes `<` that would start HTML, as in `<b>`, and `]` that would end the text of a link, as in `](`. */
const escapeMarkup = (text: string): string =>
  text.replace(/<(?=[a-z!?/])/gi, '&lt;').replace(/\](?=[([])/g, '&#93;')
