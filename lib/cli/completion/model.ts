import { topics } from '../../help/topics'
import type { AnyCommand } from '../declaration'
import type { FlagSpec, Flags } from '../flags'
import { rootFlags } from '../globals'

/**
 * A place on the command line where words can be completed: at its start, after a command's name, or after
 * words that follow `help`.
 */
export interface Place {
  /** The words before the place; `''` at the start. */
  readonly path: string
  /** The words that can follow: sub-commands and fixed arguments. */
  readonly words: ReadonlyArray<Word>
  /** The flags accepted here, besides the global ones. */
  readonly flags: Flags
}

/** A word that can follow, and its summary. */
export interface Word {
  readonly word: string
  readonly summary: string
}

/** How the value of a flag is completed. */
type ValueKind =
  | { readonly _tag: 'None' }
  | { readonly _tag: 'Files' }
  | { readonly _tag: 'Folders' }
  | { readonly _tag: 'Words'; readonly words: ReadonlyArray<string> }

/** Returns how the value of a flag is completed. */
export const valueKind = (flag: FlagSpec): ValueKind => {
  if (flag.type === 'string' && flag.oneOf !== undefined)
    return { _tag: 'Words', words: flag.oneOf }
  if (flag.file) return { _tag: 'Files' }
  return flag.folder ? { _tag: 'Folders' } : { _tag: 'None' }
}

/** Whether the word after a flag is its value. */
export const takesValue = (flag: FlagSpec): boolean => flag.type !== 'bool'

/** The spellings of a flag: `-n`, if it has one, and `--name`. */
export const spellings = (flag: FlagSpec): ReadonlyArray<string> =>
  flag.short === undefined ? [`--${flag.name}`] : [`-${flag.short}`, `--${flag.name}`]

/**
 * All places that have words or flags of their own; the first is the start. The completion scripts are tables
 * of these.
 */
export const placesOf = (commands: ReadonlyArray<AnyCommand>): ReadonlyArray<Place> => {
  const root: Place = { path: '', words: below('', commands), flags: rootFlags }
  const own = commands.map(({ name, flags, positionals = [] }): Place => {
    const fixed = positionals
      .flatMap(({ oneOf = [] }) => oneOf)
      .map((word) => ({ word, summary: '' }))
    const named = positionals.some((positional) => positional.commands)
      ? [...below('', commands), ...topicWords]
      : []
    return { path: name, words: [...below(`${name} `, commands), ...fixed, ...named], flags }
  })
  const helped = commands
    .filter(({ positionals = [] }) => positionals.some((positional) => positional.commands))
    .flatMap(({ name }) =>
      commands.map((command) => ({
        path: `${name} ${command.name}`,
        words: below(`${command.name} `, commands),
        flags: [],
      })),
    )
  return [root, ...own, ...helped].filter(({ words, flags }) => words.length + flags.length > 0)
}

/** The topics of `svc help`, each with its title. */
const topicWords: ReadonlyArray<Word> = [...topics].map(([word, text]) => ({
  word,
  summary: (text.split('\n', 1)[0] ?? '').replace('# ', ''),
}))

const below = (prefix: string, commands: ReadonlyArray<AnyCommand>): ReadonlyArray<Word> =>
  commands
    .filter(({ name }) => name.startsWith(prefix) && !name.slice(prefix.length).includes(' '))
    .map(({ name, summary }) => ({ word: name.slice(prefix.length), summary }))
