import { findWidth, fixedSpace, type TextRow, wrap, wrapColumns } from '../failure/text/wrap'
import { titleOf, topics } from '../help/topics'
import type { Runtime } from '../runtime/runtime'
import {
  type AnyCommand,
  formatUsageLine,
  globalFlagsOf,
  type Positional,
  positionalsOf,
} from './declaration'
import type { FlagSpec } from './flags'
import { globalFlags, rootFlags } from './globals'

/** How a page is laid out: its width in columns, and what makes a heading stand out. */
interface Layout {
  readonly width: number
  readonly emphasize: (heading: string) => string
}

/** The widest that a page is printed, in columns. Longer lines are hard to read. */
const maxWidth = 100

/** The layout for stdout: as wide as its terminal, with bold headings if the terminal shows them. */
export const layoutFor = ({ stdout, env }: Pick<Runtime, 'stdout' | 'env'>): Layout => {
  const isBold = env.FORCE_COLOR
    ? env.FORCE_COLOR !== '0'
    : stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb'
  return {
    width: Math.min(findWidth(stdout, env), maxWidth),
    emphasize: (text) => (isBold ? `\u001b[1m${text}\u001b[22m` : text),
  }
}

/** Writes the help of a command, or of `svc` itself, without a final newline. */
export const writeHelp = (
  command: AnyCommand | undefined,
  commands: ReadonlyArray<AnyCommand>,
  layout: Layout,
): string => {
  const sections =
    command === undefined
      ? writeRootSections(commands, layout)
      : writeCommandSections(command, commands, layout)
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

type Section = ReadonlyArray<string>

const writeRootSections = (
  commands: ReadonlyArray<AnyCommand>,
  layout: Layout,
): ReadonlyArray<Section> => {
  const lists: ReadonlyArray<readonly [string, ReadonlyArray<TextRow>]> = [
    ['Commands:', listCommands(commands, '')],
    ['Topics:', [...topics].map(([name, markdown]) => [name, titleOf(markdown)])],
    ['Flags:', rootFlags.map(formatFlagRow)],
    ['Global flags:', globalFlags.map(formatFlagRow)],
  ]
  return [
    wrap(introduction, layout.width),
    [layout.emphasize('Usage:'), '  svc <command> [flags]'],
    ...lists.map(([title, rows]) => writeList(title, rows, layout)),
    wrap(
      "Run 'svc help <command>' for what a command does, its flags and examples, and 'svc help <topic>' to read on.",
      layout.width,
    ),
  ]
}

/** What the program is, in a sentence. */
const introduction =
  'svc asks typed questions about a state and prints the answers as JSON: the probability of a yes, a choice from a set of labels, a score on a scale.'

const writeCommandSections = (
  command: AnyCommand,
  commands: ReadonlyArray<AnyCommand>,
  layout: Layout,
): ReadonlyArray<Section> => {
  const { description, summary, name, examples, flags } = command
  return [
    ...splitParagraphs(description ?? summary).map((part) =>
      part.startsWith('  ') ? part.split('\n') : wrap(part, layout.width),
    ),
    [layout.emphasize('Usage:'), `  ${formatUsageLine(command)} [flags]`],
    writeList('Arguments:', positionalsOf(command).map(describeArgument), layout),
    writeList('Commands:', listCommands(commands, `${name} `), layout),
    [
      layout.emphasize('Examples:'),
      ...examples.flatMap((example, index) => writeExample(example, index, layout.width)),
    ],
    writeList('Flags:', flags.map(formatFlagRow), layout),
    wrap(`Global flags: ${nameGlobalFlags(command)} (svc help environment)`, layout.width),
  ]
}

/** The paragraphs of a description. One that is indented keeps its lines; the others are wrapped. */
const splitParagraphs = (text: string): ReadonlyArray<string> =>
  text.replace(/^\n+|\s+$/g, '').split(/\n\s*\n/)

const writeList = (title: string, rows: ReadonlyArray<TextRow>, layout: Layout): Section =>
  rows.length === 0 ? [] : [layout.emphasize(title), ...wrapColumns(rows, layout.width)]

/** The commands whose names begin with `prefix`, each with its summary. */
const listCommands = (
  commands: ReadonlyArray<AnyCommand>,
  prefix: string,
): ReadonlyArray<TextRow> =>
  commands
    .filter(({ name, hidden }) => !hidden && name.startsWith(prefix))
    .map(({ name, summary }) => [name, summary])

/** An argument, and what it is. */
const describeArgument = (positional: Positional): TextRow => {
  const choices = positional.oneOf === undefined ? '' : ` (${positional.oneOf.join(', ')})`
  return [positional.name, positional.summary + choices]
}

const writeExample = (
  { command, note }: AnyCommand['examples'][number],
  index: number,
  width: number,
): ReadonlyArray<string> => [
  ...(note === undefined || index === 0 ? [] : ['']),
  ...wrap(note ?? '', width - 4).map((line) => `  # ${line}`),
  ...command.split('\n').map((line) => `  ${line}`),
]

/** Which global flags mean something to a command, as a part of a line: their names, or those that mean nothing. */
const nameGlobalFlags = (command: AnyCommand): string => {
  const taken = globalFlagsOf(command)
  const others = globalFlags.filter((flag) => !taken.includes(flag))
  const nameFlags = (flags: ReadonlyArray<FlagSpec>) =>
    flags.map(({ name }) => `--${name}`).join(', ')
  if (others.length === 0) return 'all'
  return others.length < taken.length ? `all but ${nameFlags(others)}` : nameFlags(taken)
}

/** A flag with its placeholder, and what it does. */
const formatFlagRow = (flag: FlagSpec): TextRow => {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `
  const value = flag.type === 'bool' ? '' : ` <${flag.value ?? nameValue(flag)}>`
  return [`${short}--${flag.name}${value}`, flag.summary + describeDefaults(flag)]
}

const nameValue = (flag: FlagSpec): string => {
  if (flag.file) return 'path'
  if (flag.folder) return 'folder'
  return flag.type === 'strings' ? 'string' : flag.type
}

const describeDefaults = (flag: FlagSpec): string => {
  const declared = 'default' in flag && flag.default !== '' ? flag.default : undefined
  const preset = flag.defaultText ?? declared
  const parts = [
    ...(preset === undefined ? [] : [`default${fixedSpace}${preset}`]),
    ...('env' in flag ? [`env${fixedSpace}${flag.env}`] : []),
    ...(flag.type === 'strings' ? ['repeatable'] : []),
  ]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}
