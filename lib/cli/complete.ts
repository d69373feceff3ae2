import { sanitize } from '../failure/text/harmless'
import { type AnyCommand, globalFlagsOf, type Positional, positionalAt } from './declaration'
import { findCommand, listCommandsBelow } from './find-command'
import type { FlagSpec, Flags } from './flags'
import { globalFlags, rootFlags } from './globals'
import { tokenizeArguments } from './tokens'

/** What can stand in place of the word that is being typed. */
export interface Completion {
  readonly candidates: ReadonlyArray<Candidate>
  /** Whether paths can stand there too, behind the part of the word that is not one (`@`, `--file=`). */
  readonly paths?: { readonly kind: 'files' | 'folders'; readonly prefix: string }
}

/** A whole word, and one line about it that some shells show. */
interface Candidate {
  readonly text: string
  readonly summary: string
}

type Commands = ReadonlyArray<AnyCommand>

const nothing: Completion = { candidates: [] }

/**
 * Finds what can stand in place of `word`, by the same grammar that parses command lines. `before` are the words
 * between the program's name and this one.
 */
export const complete = async (
  before: ReadonlyArray<string>,
  word: string,
  commands: Commands,
): Promise<Completion> => {
  const found = findCommand(before, commands)
  if ('unknown' in found) return nothing
  const { command, rest } = found
  const flags: Flags = [...globalFlags, ...(command?.flags ?? rootFlags)]
  const tokens = tokenizeArguments(rest, flags)
  const words = tokens.flatMap((token) => (token._tag === 'Word' ? [token.text] : []))
  if (tokens.at(-1)?._tag === 'Fault') {
    const flag = findAwaitingFlag(rest, word, flags)
    return flag === undefined ? nothing : completeValue(flag, '', word, words)
  }
  const here = tokenizeArguments([...rest, '-'], flags).at(-1)
  const isLiteral = here?._tag === 'Word' && here.literal
  if (!isLiteral && word.startsWith('-')) {
    const meant = [...globalFlagsOf(command), ...(command?.flags ?? rootFlags)]
    return completeFlag(meant, word)
  }
  const below = isLiteral || words.length > 0 ? [] : listBelow(command, commands)
  const positional = positionalAt(command, words.length)
  const named = positional?.commands ? listBelowNamed(words, commands) : []
  const value = positional && (await completeValue(positional, '', word, words))
  return {
    ...value,
    candidates: [...keepStartingWith(word, [...below, ...named]), ...(value?.candidates ?? [])],
  }
}

/** The flag whose value `word` is, where the words before it end with a flag that needs one. */
const findAwaitingFlag = (
  before: ReadonlyArray<string>,
  word: string,
  flags: Flags,
): FlagSpec | undefined => {
  const last = tokenizeArguments([...before, word], flags).at(-1)
  return last?._tag === 'Flag' ? last.flag : undefined
}

const completeFlag = async (flags: Flags, word: string): Promise<Completion> => {
  const equals = word.indexOf('=')
  if (equals < 0) {
    const all = flags.map(({ name, summary }) => ({ text: `--${name}`, summary }))
    return { candidates: keepStartingWith(word, all) }
  }
  const flag = flags.find(({ name }) => `--${name}` === word.slice(0, equals))
  if (flag === undefined) return nothing
  return completeValue(flag, word.slice(0, equals + 1), word.slice(equals + 1), [])
}

/**
 * Completes the value of a flag or an argument. `prefix` is the part of the word before it, and `words` are the
 * arguments before this one.
 */
const completeValue = async (
  spec: FlagSpec | Positional,
  prefix: string,
  value: string,
  words: ReadonlyArray<string>,
): Promise<Completion> => {
  const fixed = 'oneOf' in spec ? (spec.oneOf ?? []) : []
  const offered = ('offer' in spec && (await spec.offer?.(words))) || []
  const all = [...fixed, ...offered].map((text) => ({ text: prefix + text, summary: '' }))
  const candidates = keepStartingWith(prefix + value, all)
  if (spec.file) return { candidates, paths: { kind: 'files', prefix } }
  if ('folder' in spec && spec.folder) return { candidates, paths: { kind: 'folders', prefix } }
  if ('fileAfterAt' in spec && value.startsWith('@'))
    return { candidates, paths: { kind: 'files', prefix: `${prefix}@` } }
  return { candidates }
}

/** The commands below the one that these words name; none where they name no command. */
const listBelowNamed = (
  words: ReadonlyArray<string>,
  commands: Commands,
): ReadonlyArray<Candidate> => {
  const parent = commands.find(({ name }) => name === words.join(' '))
  return words.length > 0 && parent === undefined ? [] : listBelow(parent, commands)
}

const listBelow = (parent: AnyCommand | undefined, commands: Commands): ReadonlyArray<Candidate> =>
  listCommandsBelow(parent, commands).map(({ word, command: { summary } }) => ({
    text: word,
    summary,
  }))

const keepStartingWith = (
  word: string,
  candidates: ReadonlyArray<Candidate>,
): ReadonlyArray<Candidate> =>
  candidates.filter(({ text }) => text.startsWith(word) && text === sanitize(text))

/** Splits a command line as bash does, without its quotes. The last word is the one being typed; it may be empty. */
export const splitLine = (line: string): ReadonlyArray<string> => {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] ?? ''
    if (sign === '\\' && quote !== "'") {
      at += 1
      word = (word ?? '') + (line[at] ?? '')
    } else if (quote === '' ? sign === '"' || sign === "'" : sign === quote) {
      quote = quote === '' ? sign : ''
      word ??= ''
    } else if (quote === '' && /\s/.test(sign)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + sign
  }
  return [...words, word ?? '']
}
