import type { AnyCommand } from '../declaration'
import type { FlagSpec, Flags } from '../flags'
import { globalFlags } from '../globals'
import { placesOf, spellings, takesValue, valueKind } from './model'

/** Writes the completion script for PowerShell 5.1 and later. D21 */
export const powershellScript = (commands: ReadonlyArray<AnyCommand>): string => {
  const places = placesOf(commands)
  const worded = places.filter(({ words }) => words.length > 0)
  const flagged = places.filter(({ flags }) => flags.length > 0)
  const allFlags = [...places.flatMap(({ flags }) => flags), ...globalFlags]
  return `# PowerShell completion for svc.
# Load it with: svc completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # What can follow the words so far, and the flags after them, each with its summary.
    $next = @{
${worded
  .map(({ path, words }) =>
    table(
      path,
      words.map(({ word, summary }) => [word, summary]),
    ),
  )
  .join('\n')}
    }
    $flags = @{
${flagged.map(({ path, flags }) => table(path, summaries(flags))).join('\n')}
    }
    $globalFlags = [ordered]@{
${summaries(globalFlags).map(pair).join('\n')}
    }
    # What the value of a flag may be; an empty list where anything goes.
    $values = @{
${valuePairs(allFlags)}
    }

    $words = ''
    $flag = $null
    $commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object {
            $word = $_.ToString()
            if ($flag) { $flag = $null }
            elseif (-not $word.StartsWith('-')) { $words = "$words $word".Trim() }
            elseif ($values.ContainsKey($word)) { $flag = $word }
        }

    $tables = if ($flag) { $null }
    elseif ($wordToComplete.StartsWith('-')) { $flags[$words], $globalFlags }
    else { , $next[$words] }
    foreach ($table in $tables) {
        foreach ($name in $table.Keys) {
            if ($name -like "$wordToComplete*") {
                [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $table[$name])
            }
        }
    }
    if ($flag) {
        foreach ($value in $values[$flag]) {
            if ($value -like "$wordToComplete*") {
                [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $value)
            }
        }
    }
}`
}

type Pair = readonly [word: string, summary: string]

const pair = ([word, summary]: Pair): string =>
  `            ${quote(word)} = ${quote(summary === '' ? word : summary)}`

const table = (path: string, pairs: ReadonlyArray<Pair>): string =>
  `        ${quote(path)} = [ordered]@{\n${pairs.map(pair).join('\n')}\n        }`

const summaries = (flags: Flags): ReadonlyArray<Pair> =>
  flags.flatMap((flag) => spellings(flag).map((name): Pair => [name, flag.summary]))

const valuePairs = (flags: Flags): string => {
  const known = new Map(
    flags.filter(takesValue).flatMap((flag) => spellings(flag).map((name) => [name, flag])),
  )
  return [...known].map(([name, flag]) => `        ${quote(name)} = @(${choices(flag)})`).join('\n')
}

const choices = (flag: FlagSpec): string => {
  const kind = valueKind(flag)
  return kind._tag === 'Words' ? kind.words.map(quote).join(', ') : ''
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`
