/** Run by the build: the pages for `man`, made from the declarations of commands and from the topics of help. */
import type { AnyCommand } from '../cli/declaration'
import { positionalsOf, usageOf } from '../cli/declaration'
import { globalFlags, rootFlags } from '../cli/globals'
import {
  describeArgument,
  describeFlag,
  introduction,
  listCommands,
  nameGlobalFlags,
  splitParagraphs,
} from '../cli/help'
import { titleOf, topics } from '../help/topics'
import { escapeRoff, writeBlocks, writeHead, writeSection, writeTerm, writeVerbatim } from './roff'

type Lines = ReadonlyArray<string>

/**
 * Writes the pages, by file name: `svc.1`, `svc-<command>.1` and `svc-<topic>.7`. A command of two words is told on the page of
 * the first, a topic on the page of the command of that name, and a command that only prints something about svc on
 * `svc.1`.
 */
export const writeManual = (
  commands: ReadonlyArray<AnyCommand>,
  version: string,
): ReadonlyMap<string, string> => {
  const hasPage = ({ name, hidden, flags, network }: AnyCommand): boolean =>
    !hidden && !name.includes(' ') && (flags.length > 0 || network === true)
  const paged = commands.filter(hasPage)
  const onRoot = commands.filter(
    (one) => !one.hidden && !one.name.includes(' ') && !paged.includes(one),
  )
  const own = [...topics].filter(([name]) => !paged.some((command) => command.name === name))
  const pages: ReadonlyArray<readonly [string, Lines]> = [
    ['svc.1', writeRootPage(commands, onRoot, version)],
    ...paged.map((command) => {
      const below = commands.filter(({ name }) => name.startsWith(`${command.name} `))
      return [`svc-${command.name}.1`, writeCommandPage(command, below, version)] as const
    }),
    ...own.map(
      ([name, markdown]) => [`svc-${name}.7`, writeTopicPage(name, markdown, version)] as const,
    ),
  ]
  return new Map(pages.map(([file, lines]) => [file, `${lines.join('\n')}\n`]))
}

const writeRootPage = (
  commands: ReadonlyArray<AnyCommand>,
  toldHere: ReadonlyArray<AnyCommand>,
  version: string,
): Lines => [
  ...writeHead('svc', 1, version, 'ask typed questions, and get answers a program can branch on'),
  ...writeSection('SYNOPSIS', ['\\fBsvc\\fR <command> [flags]']),
  ...writeSection('DESCRIPTION', [escapeRoff(introduction)]),
  ...writeSection('COMMANDS', writeTerms(listCommands(commands, ''))),
  ...writeSection(
    'TOPICS',
    writeTerms([...topics].map(([name, markdown]) => [`svc help ${name}`, titleOf(markdown)])),
  ),
  ...writeSection('FLAGS', writeTerms([...rootFlags, ...globalFlags].map(describeFlag))),
  ...toldHere.flatMap((command) => [
    ...writeSection(`svc ${command.name}`, writeUsage(command)),
    ...writeBody(command),
  ]),
]

const writeCommandPage = (
  command: AnyCommand,
  below: ReadonlyArray<AnyCommand>,
  version: string,
): Lines => {
  const topic = topics.get(command.name)
  return [
    ...writeHead(`svc-${command.name}`, 1, version, command.summary),
    ...writeSection('SYNOPSIS', writeUsage(command)),
    ...writeSection('DESCRIPTION', writeBody(command)),
    ...below.flatMap((one) => [
      ...writeSection(`svc ${one.name}`, writeUsage(one)),
      ...writeBody(one),
    ]),
    ...(topic === undefined ? [] : [...writeSection('MORE', writeBlocks(topic))]),
  ]
}

const writeTopicPage = (name: string, markdown: string, version: string): Lines => [
  ...writeHead(`svc-${name}`, 7, version, titleOf(markdown)),
  ...writeSection('DESCRIPTION', writeBlocks(markdown)),
]

const writeUsage = (command: AnyCommand): Lines => [escapeRoff(`${usageOf(command)} [flags]`)]

const writeBody = (command: AnyCommand): Lines => {
  const { description, summary, flags, examples } = command
  const terms = [...positionalsOf(command).map(describeArgument), ...flags.map(describeFlag)]
  return [
    ...splitParagraphs(description ?? summary).flatMap((part) =>
      part.startsWith('  ') ? writeVerbatim(part) : ['.PP', escapeRoff(part.replaceAll('\n', ' '))],
    ),
    ...(terms.length === 0 ? [] : ['.SS Arguments and flags', ...writeTerms(terms)]),
    '.PP',
    escapeRoff(`Global flags (see svc(1)): ${nameGlobalFlags(command)}`),
    '.SS Examples',
    ...examples.flatMap(({ command: line, note = '' }) => [
      ...(note === '' ? [] : ['.PP', escapeRoff(note)]),
      ...writeVerbatim(line),
    ]),
  ]
}

const writeTerms = (rows: ReadonlyArray<readonly [string, string]>): Lines =>
  rows.flatMap(([term, description]) => writeTerm(term.trim(), description))
