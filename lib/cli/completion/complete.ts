import { sanitize } from '../../failure/text/sanitize'
import {
  type AnyCommand,
  flagsOf,
  listRelevantGlobals,
  type Positional,
  positionalAt,
} from '../declaration'
import { findCommand, listCommandsBelow } from '../find-command'
import type { FlagSpec, Flags } from '../flags'
import { globalFlags } from '../globals'
import { tokenizeArguments } from '../tokens'

/** The texts that can replace the word that is being typed. */
export interface Completion {
  readonly candidates: ReadonlyArray<Candidate>
  /** Set if the shell should offer paths as well. `prefix` is the part of the word before the path: `@`, `--file=`. */
  readonly paths?: { readonly kind: 'files' | 'folders'; readonly prefix: string }
}

/** A whole word, and a summary in one line, which some shells show. */
interface Candidate {
  readonly text: string
  readonly summary: string
}

type Commands = ReadonlyArray<AnyCommand>

const noCompletion: Completion = { candidates: [] }

/**
 * Completes `word` by the grammar that also parses command lines. `before` are the words between the program's name and
 * this word.
 */
export const complete = async (
  before: ReadonlyArray<string>,
  word: string,
  commands: Commands,
): Promise<Completion> => {
  const found = findCommand(before, commands)
  if ('unknownWord' in found) return noCompletion
  const { command, remaining } = found
  const flags = [...globalFlags, ...flagsOf(command)]
  const tokens = tokenizeArguments(remaining, flags)
  const words = tokens.flatMap((token) => (token._tag === 'Word' ? [token.text] : []))
  if (tokens.at(-1)?._tag === 'Fault') {
    // The line is invalid, or it ends with a flag that still needs its value.
    const flag = findAwaitingFlag(remaining, word, flags)
    return flag === undefined ? noCompletion : completeValue(flag, '', word, words)
  }
  const isAfterDashes = haveFlagsEnded(remaining, flags)
  if (word.startsWith('-') && !isAfterDashes)
    return completeFlag([...listRelevantGlobals(command), ...flagsOf(command)], word)
  const offersSubcommands = words.length === 0 && !isAfterDashes
  const subcommands = offersSubcommands ? listSubcommands(command, commands) : []
  return completeArgument(positionalAt(command, words.length), word, words, subcommands, commands)
}

/** Finds the flag whose value is `word`, if the words before it end with a flag that needs a value. */
const findAwaitingFlag = (
  before: ReadonlyArray<string>,
  word: string,
  flags: Flags,
): FlagSpec | undefined => {
  const last = tokenizeArguments([...before, word], flags).at(-1)
  return last?._tag === 'Flag' ? last.flag : undefined
}

/** Returns `true` if `--` came before, after which a word that begins with `-` is no flag. */
const haveFlagsEnded = (before: ReadonlyArray<string>, flags: Flags): boolean => {
  const next = tokenizeArguments([...before, '-'], flags).at(-1)
  return next?._tag === 'Word' && next.isLiteral
}

/** Completes a positional argument. `subcommands` are candidates too. */
const completeArgument = async (
  positional: Positional | undefined,
  word: string,
  words: ReadonlyArray<string>,
  subcommands: ReadonlyArray<Candidate>,
  commands: Commands,
): Promise<Completion> => {
  const commandNames = positional?.isCommandName ? listSubcommandsNamed(words, commands) : []
  const nameCandidates = keepStartingWith(word, [...subcommands, ...commandNames])
  if (positional === undefined) return { candidates: nameCandidates }
  const value = await completeValue(positional, '', word, words)
  return { ...value, candidates: [...nameCandidates, ...value.candidates] }
}

/** Completes the name of a flag, or its value after `=`. */
const completeFlag = async (flags: Flags, word: string): Promise<Completion> => {
  const equals = word.indexOf('=')
  if (equals < 0) {
    const all = flags.map(({ name, summary }) => ({ text: `--${name}`, summary }))
    return { candidates: keepStartingWith(word, all) }
  }
  const flag = flags.find(({ name }) => `--${name}` === word.slice(0, equals))
  if (flag === undefined) return noCompletion
  return completeValue(flag, word.slice(0, equals + 1), word.slice(equals + 1), [])
}

/**
 * Completes the value of a flag or an argument. `prefix` is the part of the word before the value, and `words` are the
 * arguments before this one.
 */
const completeValue = async (
  spec: FlagSpec | Positional,
  prefix: string,
  value: string,
  words: ReadonlyArray<string>,
): Promise<Completion> => {
  const choices = 'oneOf' in spec ? (spec.oneOf ?? []) : []
  const offered = 'listWords' in spec ? ((await spec.listWords?.(words)) ?? []) : []
  const all = [...choices, ...offered].map((text) => ({ text: prefix + text, summary: '' }))
  const candidates = keepStartingWith(prefix + value, all)
  if (spec.isFile) return { candidates, paths: { kind: 'files', prefix } }
  if ('isFolder' in spec && spec.isFolder) return { candidates, paths: { kind: 'folders', prefix } }
  if ('takesAtFile' in spec && value.startsWith('@'))
    return { candidates, paths: { kind: 'files', prefix: `${prefix}@` } }
  return { candidates }
}

/** Lists the subcommands of the command that these words name. Returns an empty list if they name no command. */
const listSubcommandsNamed = (
  words: ReadonlyArray<string>,
  commands: Commands,
): ReadonlyArray<Candidate> => {
  if (words.length === 0) return listSubcommands(undefined, commands)
  const parent = commands.find(({ name }) => name === words.join(' '))
  return parent === undefined ? [] : listSubcommands(parent, commands)
}

const listSubcommands = (
  parent: AnyCommand | undefined,
  commands: Commands,
): ReadonlyArray<Candidate> =>
  listCommandsBelow(parent, commands).map(({ word, command }) => ({
    text: word,
    summary: command.summary,
  }))

/** Keeps the candidates that begin with `word`. Leaves out texts with control characters, which a terminal would not show. */
const keepStartingWith = (
  word: string,
  candidates: ReadonlyArray<Candidate>,
): ReadonlyArray<Candidate> =>
  candidates.filter(({ text }) => text.startsWith(word) && text === sanitize(text))
