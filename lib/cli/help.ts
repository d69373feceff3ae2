import { parseTitle, topics } from '../help/topics'
import type { Runtime } from '../runtime/runtime'
import { measureWidth } from '../text/width'
import { findWidth, noBreakSpace, type TextRow, wrap, wrapColumns } from '../text/wrap'
import {
  type AnyCommand,
  formatUsageLine,
  listPositionals,
  listRelevantGlobals,
  type Positional,
} from './declaration'
import type { FlagSpec } from './flags'
import { globalFlags, rootFlags } from './globals'

/** The layout of a page of help. */
interface HelpLayout {
  /** The maximum width in columns. */
  readonly width: number
  /** Makes a heading bold, if the terminal can show it. */
  readonly emphasize: (heading: string) => string
}

/** The maximum width of a page, in columns. Longer lines are hard to read. */
const maxWidth = 100

/** Chooses the layout for stdout: as wide as its terminal, with bold headings if the terminal shows them. */
export const chooseLayout = ({ stdout, env }: Pick<Runtime, 'stdout' | 'env'>): HelpLayout => {
  const isColorTerminal = stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb'
  // FORCE_COLOR overrides the terminal and the other variables.
  const isBold = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : isColorTerminal
  return {
    width: Math.min(findWidth(stdout, env), maxWidth),
    emphasize: (text) => (isBold ? `\u001b[1m${text}\u001b[22m` : text),
  }
}

/** Formats the help of a command, or of `svc` itself for `undefined`, without a final newline. */
export const formatHelp = (
  command: AnyCommand | undefined,
  commands: ReadonlyArray<AnyCommand>,
  layout: HelpLayout,
): string => {
  const sections =
    command === undefined
      ? formatRootSections(commands, layout)
      : formatCommandSections(command, commands, layout)
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

/** The lines of a part of a page. A section without lines is left out. */
type Section = ReadonlyArray<string>

/** The sentence that introduces the program. */
const introduction =
  'svc asks typed questions about a state and prints the answers as JSON: the probability of a yes, a choice from a set of labels, a score on a scale.'

const formatRootSections = (
  commands: ReadonlyArray<AnyCommand>,
  layout: HelpLayout,
): ReadonlyArray<Section> => {
  const topicRows = Array.from(topics, ([name, markdown]): TextRow => [name, parseTitle(markdown)])
  return [
    wrap(introduction, layout.width),
    [layout.emphasize('Usage:'), '  svc <command> [flags]'],
    formatList('Commands:', listCommands(commands, ''), layout),
    formatList('Topics:', topicRows, layout),
    formatList('Flags:', rootFlags.map(formatFlagRow), layout),
    formatList('Global flags:', globalFlags.map(formatFlagRow), layout),
    wrap(
      "Run 'svc help <command>' to see what a command does, with its flags and examples. Run 'svc help <topic>' to read about a topic.",
      layout.width,
    ),
  ]
}

const formatCommandSections = (
  command: AnyCommand,
  commands: ReadonlyArray<AnyCommand>,
  layout: HelpLayout,
): ReadonlyArray<Section> => {
  const { description, summary, name, examples, flags } = command
  return [
    // An indented paragraph keeps its lines.
    ...splitParagraphs(description ?? summary).map((paragraph) =>
      paragraph.startsWith('  ') ? paragraph.split('\n') : wrap(paragraph, layout.width),
    ),
    [layout.emphasize('Usage:'), `  ${formatUsageLine(command)} [flags]`],
    formatList('Arguments:', listPositionals(command).map(formatArgumentRow), layout),
    formatList('Commands:', listCommands(commands, `${name} `), layout),
    [
      layout.emphasize('Examples:'),
      ...examples.flatMap((example, index) => formatExample(example, index, layout.width)),
    ],
    formatList('Flags:', flags.map(formatFlagRow), layout),
    wrap(`Global flags: ${nameGlobalFlags(command)} (svc help environment)`, layout.width),
  ]
}

/** Splits a description at its blank lines. Ignores newlines at both ends. */
const splitParagraphs = (text: string): ReadonlyArray<string> =>
  text.replace(/^\n+|\s+$/g, '').split(/\n\s*\n/)

const formatList = (title: string, rows: ReadonlyArray<TextRow>, layout: HelpLayout): Section =>
  rows.length === 0 ? [] : [layout.emphasize(title), ...wrapColumns(rows, layout.width)]

/** Lists the commands whose names begin with `prefix`, each with its summary. */
const listCommands = (
  commands: ReadonlyArray<AnyCommand>,
  prefix: string,
): ReadonlyArray<TextRow> =>
  commands
    .filter(({ name, hidden }) => !hidden && name.startsWith(prefix))
    .map(({ name, summary }) => [name, summary])

/** Formats an argument with its summary. */
const formatArgumentRow = (positional: Positional): TextRow => {
  const choices = positional.oneOf === undefined ? '' : ` (${positional.oneOf.join(', ')})`
  return [positional.name, positional.summary + choices]
}

/** The indentation of examples. */
const exampleIndent = '  '

/** Matches a word of a shell command with the space before it. Quotes keep words together. */
const shellWordPattern = /\s*(?:'[^']*'|"[^"]*"|[^\s'"])+/g

/** Breaks a shell command before flags and operators, if it is wider than `width`. A backslash continues each line, so that it can be pasted. */
const wrapCommand = (command: string, width: number): ReadonlyArray<string> => {
  if (measureWidth(command) <= width) return [command]
  const words = command.match(shellWordPattern) ?? []
  const lines: string[] = []
  let line = ''
  let group = ''
  const addGroup = (): void => {
    const joined = line + group
    // The backslash and the space before it take two columns.
    if (line !== '' && measureWidth(joined) > width - 2) {
      lines.push(line)
      line = `    ${group.trimStart()}`
    } else line = joined
    group = ''
  }
  for (const word of words) {
    const beginsGroup = /^\s+(-|[|>]|&&)/.test(word)
    if (beginsGroup) addGroup()
    group += word
  }
  addGroup()
  return [...lines.map((finished) => `${finished} \\`), line]
}

const formatExample = (
  { command, note }: AnyCommand['examples'][number],
  index: number,
  width: number,
): ReadonlyArray<string> => {
  const commandLines = command
    .split('\n')
    .flatMap((line) => wrapCommand(line, width - exampleIndent.length))
    .map((line) => exampleIndent + line)
  if (note === undefined) return commandLines
  const noteLines = wrap(note, width - '  # '.length).map((line) => `  # ${line}`)
  const example = [...noteLines, ...commandLines]
  // An empty line separates an example with a note from the one before.
  return index === 0 ? example : ['', ...example]
}

/** Names the global flags that have an effect on a command: `all`, `all but …` or the names, whichever is shorter. */
const nameGlobalFlags = (command: AnyCommand): string => {
  const relevant = listRelevantGlobals(command)
  const unused = globalFlags.filter((flag) => !relevant.includes(flag))
  const nameFlags = (flags: ReadonlyArray<FlagSpec>) =>
    flags.map(({ name }) => `--${name}`).join(', ')
  if (unused.length === 0) return 'all'
  return unused.length < relevant.length ? `all but ${nameFlags(unused)}` : nameFlags(relevant)
}

/** Formats a flag and its placeholder, with its summary. */
const formatFlagRow = (flag: FlagSpec): TextRow => {
  // A flag without a short form gets four spaces, to align its name with that of other flags.
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `
  const value = flag.type === 'bool' ? '' : ` <${flag.placeholder ?? nameValueType(flag)}>`
  return [`${short}--${flag.name}${value}`, flag.summary + formatNotes(flag)]
}

const nameValueType = (flag: FlagSpec): string => {
  if (flag.isFile) return 'path'
  if (flag.isFolder) return 'folder'
  return flag.type === 'strings' ? 'string' : flag.type
}

/** Formats the notes after a summary: ` (default 2, env SERVICE_…, repeatable)`; `''` if there are none. */
const formatNotes = (flag: FlagSpec): string => {
  const declaredDefault = 'default' in flag && flag.default !== '' ? flag.default : undefined
  const shownDefault = flag.shownDefault ?? declaredDefault
  const notes: string[] = []
  if (shownDefault !== undefined) notes.push(`default${noBreakSpace}${shownDefault}`)
  if ('env' in flag) notes.push(`env${noBreakSpace}${flag.env}`)
  if (flag.type === 'strings') notes.push('repeatable')
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`
}
