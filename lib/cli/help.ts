import { titleOf, topics } from '../help/topics'
import { fixedSpace, type Row, wrap, wrapColumns } from '../text/wrap'
import { type AnyCommand, type Positional, usageOf } from './declaration'
import type { FlagSpec, Flags } from './flags'
import { globalFlags, rootFlags } from './globals'

const width = 80

/** Writes the help of a command, or of `svc` itself, without a final newline. D21 */
export const writeHelp = (
  command: AnyCommand | undefined,
  commands: ReadonlyArray<AnyCommand>,
): string => {
  const sections =
    command === undefined ? writeRootSections(commands) : writeCommandSections(command, commands)
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

type Section = ReadonlyArray<string>

const writeRootSections = (commands: ReadonlyArray<AnyCommand>): ReadonlyArray<Section> => [
  wrap(
    'svc asks typed questions about a state and prints the answers as JSON: the probability of a yes, a choice from a set of labels, a score on a scale.',
    width,
  ),
  ['Usage:', '  svc <command> [flags]'],
  listCommands(commands, ''),
  listTopics(),
  listFlags('Flags:', rootFlags),
  listFlags('Global flags:', globalFlags),
  wrap(
    "Run 'svc help <command>' for what a command does, its flags and examples, and 'svc help <topic>' to read on.",
    width,
  ),
]

const writeCommandSections = (
  command: AnyCommand,
  commands: ReadonlyArray<AnyCommand>,
): ReadonlyArray<Section> => [
  ...wrapParagraphs(command.description ?? command.summary),
  ['Usage:', `  ${usageOf(command)} [flags]`],
  writeList('Arguments:', (command.positionals ?? []).map(describeArgument)),
  listCommands(commands, `${command.name} `),
  listExamples(command),
  listFlags('Flags:', command.flags),
  listFlags('Global flags:', globalFlags),
]

/** Wraps each paragraph, except indented ones, which keep their lines. */
const wrapParagraphs = (text: string): ReadonlyArray<Section> =>
  text
    .replace(/^\n+|\s+$/g, '')
    .split(/\n\s*\n/)
    .map((part) => (part.startsWith('  ') ? part.split('\n') : wrap(part, width)))

const writeList = (title: string, rows: ReadonlyArray<Row>): Section =>
  rows.length === 0 ? [] : [title, ...wrapColumns(rows, width)]

const listCommands = (commands: ReadonlyArray<AnyCommand>, prefix: string): Section =>
  writeList(
    'Commands:',
    commands
      .filter(({ name, hidden }) => !hidden && name.startsWith(prefix))
      .map(({ name, summary }) => [name, summary]),
  )

const listTopics = (): Section =>
  writeList(
    'Topics:',
    [...topics].map(([name, markdown]) => [name, titleOf(markdown)]),
  )

const describeArgument = (positional: Positional): Row => {
  const choices = positional.oneOf === undefined ? '' : ` (${positional.oneOf.join(', ')})`
  return [positional.name, positional.summary + choices]
}

const listExamples = ({ examples }: AnyCommand): Section =>
  examples.length === 0
    ? []
    : [
        'Examples:',
        ...examples.flatMap(({ command, note }, index) => [
          ...(note === undefined ? [] : [...(index > 0 ? [''] : []), `  # ${note}`]),
          ...command.split('\n').map((line) => `  ${line}`),
        ]),
      ]

const listFlags = (title: string, flags: Flags): Section =>
  writeList(title, flags.map(describeFlag))

const describeFlag = (flag: FlagSpec): Row => {
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
