import type { AnyCommand } from '../declaration'
import type { FlagSpec } from '../flags'
import { globalFlags } from '../globals'
import { type Place, placesOf, spellings, takesValue, valueKind } from './model'

/** Writes the completion script for fish 3 and later. D21 */
export const fishScript = (commands: ReadonlyArray<AnyCommand>): string => {
  const places = placesOf(commands)
  return `# fish completion for svc. Load it with: svc completion fish | source

# The words of the command so far, without flags and their values.
function __svc_place
    set -l place ''
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${valueFlags(places)}
                set skip 1
            case '-*'
                continue
            case '*'
                set place (string trim -- "$place $word")
        end
    end
    echo $place
end

function __svc_at
    test (__svc_place) = "$argv"
end

complete -c svc -f
${globalFlags.map((flag) => flagLine(flag)).join('\n')}
${places.map(placeLines).join('\n')}`
}

const valueFlags = (places: ReadonlyArray<Place>): string => {
  const flags = [...places.flatMap((place) => place.flags), ...globalFlags].filter(takesValue)
  return [...new Set(flags.flatMap(spellings))].join(' ')
}

const placeLines = ({ path, words, flags }: Place): string =>
  [
    '',
    ...words.map(({ word, summary }) =>
      [`complete -c svc -n ${condition(path)} -a ${word}`, ...describe(summary)].join(' '),
    ),
    ...flags.map((flag) => flagLine(flag, path)),
  ].join('\n')

const flagLine = (flag: FlagSpec, path?: string): string =>
  [
    'complete -c svc',
    ...(path === undefined ? [] : [`-n ${condition(path)}`]),
    ...(flag.short === undefined ? [] : [`-s ${flag.short}`]),
    `-l ${flag.name}`,
    ...valueOptions(flag),
    ...describe(flag.summary),
  ].join(' ')

const condition = (path: string): string => quote(`__svc_at ${path}`.trim())

const describe = (summary: string): ReadonlyArray<string> =>
  summary === '' ? [] : [`-d ${quote(summary)}`]

const valueOptions = (flag: FlagSpec): ReadonlyArray<string> => {
  if (!takesValue(flag)) return []
  const kind = valueKind(flag)
  switch (kind._tag) {
    case 'None':
      return ['-x']
    case 'Files':
      return ['-r -F']
    case 'Folders':
      return ["-x -a '(__fish_complete_directories)'"]
    case 'Words':
      return [`-x -a ${quote(kind.words.join(' '))}`]
  }
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
