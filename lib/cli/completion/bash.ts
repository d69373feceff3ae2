import type { AnyCommand } from '../declaration'
import type { Flags } from '../flags'
import { globalFlags } from '../globals'
import { type Place, placesOf, spellings, takesValue, valueKind } from './model'

/** Writes the completion script for bash 3.2 and later. It needs no helper library. D21 */
export const bashScript = (commands: ReadonlyArray<AnyCommand>): string => {
  const places = placesOf(commands)
  return `# bash completion for svc. Load it with: source <(svc completion bash)

# What can follow the words $1: sub-commands and fixed arguments.
_svc_next() {
    case "$1" in
${places
  .filter(({ words }) => words.length > 0)
  .map(wordCase)
  .join('\n')}
    esac
}

# The flags after the words $1.
_svc_flags() {
    case "$1" in
${places
  .filter(({ flags }) => flags.length > 0)
  .map(flagCase)
  .join('\n')}
    esac
    echo "${names(globalFlags)}"
}

# Completes the value of flag $2 after the words $1. Fails when the flag takes none.
_svc_value() {
    case "$1:$2" in
${places.flatMap(({ path, flags }) => valueCases(`"${path}"`, flags)).join('\n')}
${valueCases('*', globalFlags).join('\n')}
        *) return 1 ;;
    esac
}

_svc_words() {
    local IFS=$' \\t\\n'
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_svc_paths() {
    local IFS=$'\\n'
    type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$1" -- "$2"))
}

_svc() {
    local current="\${COMP_WORDS[COMP_CWORD]}" words="" word flag="" index=1
    COMPREPLY=()
    while [ "$index" -lt "$COMP_CWORD" ]; do
        word="\${COMP_WORDS[index]}"
        index=$((index + 1))
        # bash splits --flag=value into three words.
        if [ "$word" = "=" ]; then
            [ -n "$flag" ] || index=$((index + 1))
        elif [ -n "$flag" ]; then
            flag=""
        elif [ "$word" = "--" ]; then
            return
        elif [ "\${word#-}" = "$word" ]; then
            words="\${words:+$words }$word"
        elif _svc_value "$words" "$word" "" >/dev/null; then
            flag="$word"
        fi
    done
    COMPREPLY=()
    if [ -n "$flag" ]; then
        [ "$current" = "=" ] && current=""
        _svc_value "$words" "$flag" "$current"
    elif [ "\${current#-}" = "$current" ]; then
        _svc_words "$(_svc_next "$words")" "$current"
    else
        _svc_words "$(_svc_flags "$words")" "$current"
    fi
}

complete -F _svc svc`
}

const wordCase = ({ path, words }: Place): string =>
  `        "${path}") echo "${words.map(({ word }) => word).join(' ')}" ;;`

const flagCase = ({ path, flags }: Place): string => `        "${path}") echo "${names(flags)}" ;;`

const names = (flags: Flags): string => flags.flatMap(spellings).join(' ')

const valueCases = (pattern: string, flags: Flags): ReadonlyArray<string> =>
  flags.filter(takesValue).map((flag) => {
    const patterns = spellings(flag).map((spelling) => `${pattern}:${spelling}`)
    return `        ${patterns.join(' | ')}) ${valueAction(valueKind(flag))} ;;`
  })

const valueAction = (kind: ReturnType<typeof valueKind>): string => {
  switch (kind._tag) {
    case 'None':
      return ':'
    case 'Files':
      return '_svc_paths -f "$3"'
    case 'Folders':
      return '_svc_paths -d "$3"'
    case 'Words':
      return `_svc_words "${kind.words.join(' ')}" "$3"`
  }
}
