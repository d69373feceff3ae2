import { sanitize } from '../../text/sanitize'
import {
  type AnyCommand,
  flagsOf,
  listRelevantGlobals,
  type Positional,
  positionalAt,
} from '../declaration'
import type { FlagSpec, Flags } from '../flags'
import { globalFlags } from '../globals'
import { findCommand, listCommandsBelow } from '../registry'
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

/** The value of a flag or an argument, as far as it is typed. */
interface TypedValue {
  /** The part of the word before the value, such as `--file=`; `''` if the whole word is the value. */
  readonly prefix: string
  readonly value: string
  /** The positional arguments before the value. */
  readonly args: ReadonlyArray<string>
}

type Commands = ReadonlyArray<AnyCommand>

const noCompletion: Completion = { candidates: [] }

/**
 * Completes `word` by the grammar that also parses command lines. `wordsBefore` are the words between the program's name and
 * this word.
 */
export const complete = async (
  wordsBefore: ReadonlyArray<string>,
  word: string,
  commands: Commands,
): Promise<Completion> => {
  const { command, remaining, unknownWord } = findCommand(wordsBefore, commands)
  if (unknownWord !== undefined) return noCompletion
  const flags = [...globalFlags, ...flagsOf(command)]
  const tokens = tokenizeArguments(remaining, flags)
  const args = tokens.flatMap((token) => (token._tag === 'Word' ? [token.text] : []))
  const typed: TypedValue = { prefix: '', value: word, args }
  if (tokens.at(-1)?._tag === 'Fault') {
    // The line is invalid, or it ends with a flag that still needs its value.
    const flag = findAwaitingFlag(remaining, word, flags)
    return flag === undefined ? noCompletion : completeValue(flag, typed)
  }
  const isAfterDashes = haveFlagsEnded(remaining, flags)
  if (word.startsWith('-') && !isAfterDashes)
    return completeFlag([...listRelevantGlobals(command), ...flagsOf(command)], word)
  const takesSubcommand = args.length === 0 && !isAfterDashes
  const subcommands = takesSubcommand ? listSubcommands(command, commands) : []
  const positional = positionalAt(command, args.length)
  const namedCommands = positional?.isCommandName ? listSubcommandsNamed(args, commands) : []
  const nameCandidates = keepStartingWith(word, [...subcommands, ...namedCommands])
  if (positional === undefined) return { candidates: nameCandidates }
  const completion = await completeValue(positional, typed)
  return { ...completion, candidates: [...nameCandidates, ...completion.candidates] }
}

/** Finds the flag whose value is `word`, if the words before it end with a flag that needs a value. */
const findAwaitingFlag = (
  wordsBefore: ReadonlyArray<string>,
  word: string,
  flags: Flags,
): FlagSpec | undefined => {
  // Once `word` is added, the flag that needed it has its value, and is the last token.
  const last = tokenizeArguments([...wordsBefore, word], flags).at(-1)
  return last?._tag === 'Flag' ? last.flag : undefined
}

/** Returns `true` after `--`. Then a word that begins with `-` is no flag. */
const haveFlagsEnded = (wordsBefore: ReadonlyArray<string>, flags: Flags): boolean => {
  // A single `-` is always a word, and literal only after `--`.
  const dash = tokenizeArguments([...wordsBefore, '-'], flags).at(-1)
  return dash?._tag === 'Word' && dash.isLiteral
}

/** Completes the name of a flag, or its value after `=`. */
const completeFlag = async (flags: Flags, word: string): Promise<Completion> => {
  const equals = word.indexOf('=')
  if (equals < 0) {
    const flagNames = flags.map(({ name, summary }) => ({ text: `--${name}`, summary }))
    return { candidates: keepStartingWith(word, flagNames) }
  }
  const flag = flags.find(({ name }) => `--${name}` === word.slice(0, equals))
  if (flag === undefined) return noCompletion
  const prefix = word.slice(0, equals + 1)
  return completeValue(flag, { prefix, value: word.slice(equals + 1), args: [] })
}

const completeValue = async (
  spec: FlagSpec | Positional,
  { prefix, value, args }: TypedValue,
): Promise<Completion> => {
  const choices = 'oneOf' in spec ? (spec.oneOf ?? []) : []
  const furtherWords = 'listWords' in spec ? ((await spec.listWords?.(args)) ?? []) : []
  const words = [...choices, ...furtherWords].map((text) => ({ text: prefix + text, summary: '' }))
  const candidates = keepStartingWith(prefix + value, words)
  if (spec.isFile) return { candidates, paths: { kind: 'files', prefix } }
  if ('isFolder' in spec && spec.isFolder) return { candidates, paths: { kind: 'folders', prefix } }
  if ('takesAtFile' in spec && value.startsWith('@'))
    return { candidates, paths: { kind: 'files', prefix: `${prefix}@` } }
  return { candidates }
}

/**
 * Lists the subcommands of the command that these words name, or all commands if there are no words. Returns an empty list if the
 * words name no command.
 */
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
