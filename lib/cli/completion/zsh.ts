import type { AnyCommand } from '../declaration'
import type { FlagSpec, Flags } from '../flags'
import { globalFlags } from '../globals'
import { type Place, placesOf, spellings, takesValue, valueKind, type Word } from './model'

/**
 * Writes the completion script for zsh, which can be sourced, or stored as `_svc` in a folder of `fpath`. D21
 */
export const zshScript = (commands: ReadonlyArray<AnyCommand>): string => {
  const places = placesOf(commands)
  return `#compdef svc
# zsh completion for svc. Load it with: source <(svc completion zsh)

typeset -ga _svc_globals=(
${specifications(globalFlags)}
)

${places.map((place) => placeFunction(place, places)).join('\n\n')}

if [[ "$funcstack[1]" == _svc ]]; then
    _svc "$@"
elif (( $+functions[compdef] )); then
    compdef _svc svc
else
    print -u2 'svc: run compinit before loading this completion'
fi`
}

const nameOf = (path: string): string => `_svc${path === '' ? '' : ` ${path}`}`.replaceAll(' ', '-')

const placeFunction = (place: Place, places: ReadonlyArray<Place>): string => {
  const { path, words, flags } = place
  const own = flags.length === 0 ? [] : ['    here+=(', specifications(flags), '    )']
  if (words.length === 0) {
    const body = ['    local -a here=($_svc_globals)', ...own, '    _arguments -s -S $here']
    return [`${nameOf(path)}() {`, ...body, '}'].join('\n')
  }
  return `${nameOf(path)}() {
    local curcontext="$curcontext" state line ret=1
    local -A opt_args
    local -a here=($_svc_globals) words_here
${[...own, '    words_here=('].join('\n')}
${words.map(({ word, summary }) => `        ${quote(describe(word, summary))}`).join('\n')}
    )
    _arguments -C -s -S $here '1: :->word' '*:: :->rest' && ret=0
    case $state in
        word) _describe -t commands 'svc' words_here && ret=0 ;;
        rest) ${afterWord(path, words, places)} && ret=0 ;;
    esac
    return ret
}`
}

/** Writes the code that completes what follows a place's word: that word's own place, or the global flags. */
const afterWord = (
  path: string,
  words: ReadonlyArray<Word>,
  places: ReadonlyArray<Place>,
): string => {
  const leading = words.filter(({ word }) =>
    places.some((place) => place.path === `${path} ${word}`.trim()),
  )
  if (leading.length === 0) return '_arguments -s -S $_svc_globals'
  const cases = leading.map(
    ({ word }) => `            ${word}) ${nameOf(`${path} ${word}`.trim())} ;;`,
  )
  const other = '            *) _arguments -s -S $_svc_globals ;;'
  return ['case $line[1] in', ...cases, other, '        esac'].join('\n')
}

const describe = (word: string, summary: string): string =>
  summary === '' ? word : `${word}:${summary.replace(/[\\:]/g, '\\$&')}`

const specifications = (flags: Flags): string =>
  flags
    .flatMap(flagSpecifications)
    .map((text) => `        ${quote(text)}`)
    .join('\n')

/**
 * Writes a flag for zsh's `_arguments`, an entry for each spelling, such as `(-f
 * --file)--file=[summary]:path:_files`.
 */
const flagSpecifications = (flag: FlagSpec): ReadonlyArray<string> => {
  const summary = flag.summary.replace(/[\\[\]:]/g, '\\$&')
  const value = takesValue(flag) ? `:${flag.value ?? flag.name}:${valueAction(flag)}` : ''
  const before = flag.type === 'strings' ? '*' : `(${spellings(flag).join(' ')})`
  return spellings(flag).map((name) => {
    const mark = takesValue(flag) ? (name.startsWith('--') ? '=' : '+') : ''
    return `${before}${name}${mark}[${summary}]${value}`
  })
}

const valueAction = (flag: FlagSpec): string => {
  const kind = valueKind(flag)
  switch (kind._tag) {
    case 'None':
      return ' '
    case 'Files':
      return '_files'
    case 'Folders':
      return '_files -/'
    case 'Words':
      return `(${kind.words.join(' ')})`
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
