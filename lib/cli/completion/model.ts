import type { AnyCommand } from '../declaration'
import type { FlagSpec, Flags } from '../flags'
import { rootFlags } from '../globals'

/**
 * A place on the command line where something can be completed: at its start, after a command's words, or after
 * words for `help`.
 */
export interface Place {
  /** The words so far, `''` at the start. */
  readonly path: string
  /** What can follow: sub-commands and fixed arguments. */
  readonly words: ReadonlyArray<Word>
  /** Flags accepted here besides the global ones, which are accepted everywhere. */
  readonly flags: Flags
}

/** A word that can follow, and what it is for. */
export interface Word {
  readonly word: string
  readonly summary: string
}

/** What a flag's value is completed with. */
export type ValueKind =
  | { readonly _tag: 'None' }
  | { readonly _tag: 'Files' }
  | { readonly _tag: 'Folders' }
  | { readonly _tag: 'Words'; readonly words: ReadonlyArray<string> }

/** The kind of a flag's value. */
export const valueKind = (flag: FlagSpec): ValueKind => {
  if (flag.oneOf !== undefined) return { _tag: 'Words', words: flag.oneOf }
  if (flag.file) return { _tag: 'Files' }
  return flag.folder ? { _tag: 'Folders' } : { _tag: 'None' }
}

/** Whether the word after a flag is its value. */
export const takesValue = (flag: FlagSpec): boolean => flag.type !== 'bool'

/** `--name`, and `-n` where there is one. */
export const spellings = (flag: FlagSpec): ReadonlyArray<string> =>
  flag.short === undefined ? [`--${flag.name}`] : [`-${flag.short}`, `--${flag.name}`]

/** Every place with words or flags of its own, the start first. The scripts are tables of these. */
export const placesOf = (commands: ReadonlyArray<AnyCommand>): ReadonlyArray<Place> => {
  const root: Place = { path: '', words: below('', commands), flags: rootFlags }
  const own = commands.map(({ name, flags, positionals = [] }): Place => {
    const fixed = positionals
      .flatMap(({ oneOf = [] }) => oneOf)
      .map((word) => ({ word, summary: '' }))
    const named = positionals.some((positional) => positional.commands) ? below('', commands) : []
    return { path: name, words: [...below(`${name} `, commands), ...fixed, ...named], flags }
  })
  const topics = commands
    .filter(({ positionals = [] }) => positionals.some((positional) => positional.commands))
    .flatMap(({ name }) =>
      commands.map((topic) => ({
        path: `${name} ${topic.name}`,
        words: below(`${topic.name} `, commands),
        flags: [],
      })),
    )
  return [root, ...own, ...topics].filter(({ words, flags }) => words.length + flags.length > 0)
}

const below = (prefix: string, commands: ReadonlyArray<AnyCommand>): ReadonlyArray<Word> =>
  commands
    .filter(({ name }) => name.startsWith(prefix) && !name.slice(prefix.length).includes(' '))
    .map(({ name, summary }) => ({ word: name.slice(prefix.length), summary }))
