/**
 * The scripts below are what `svc completion` prints, one for each shell. A script asks `svc __complete` and reads its
 * lines: a candidate, a tab and a summary; or `:files` or `:folders`, a tab, the part of the word that is no path, a tab,
 * and the path. D21
 */
const bash = `# bash completion for svc
_svc() {
  local line=\${COMP_LINE:0:COMP_POINT} lines kind prefix path
  lines=$("$1" __complete bash -- "\${line#*"$1"}" "$2" 2>/dev/null) || return
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
    :*)
      kind=\${line%%$'\\t'*} line=\${line#*$'\\t'}
      prefix=\${line%%$'\\t'*} path=\${line#*$'\\t'}
      [[ $kind = :files ]] && kind=-f || kind=-d
      [[ $prefix ]] || compopt -o filenames 2>/dev/null
      while IFS= read -r line; do
        [[ $prefix ]] && printf -v line %q "$line"
        COMPREPLY+=("$prefix$line")
      done < <(compgen "$kind" -- "$path")
      ;;
    ?*)
      line=\${line%%$'\\t'*}
      [[ $line = *[[:space:]]* ]] && printf -v line %q "$line"
      COMPREPLY+=("$line")
      ;;
    esac
  done <<<"$lines"
}
complete -F _svc svc`

const zsh = `#compdef svc
_svc() {
  local line lines tab=$'\\t'
  local -a found parts
  lines=$("$words[1]" __complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null) || return 1
  for line in "\${(@f)lines}"; do
    parts=("\${(@ps:\\t:)line}")
    case $line in
    :files*) compset -p $#parts[2]; _files ;;
    :folders*) compset -p $#parts[2]; _files -/ ;;
    ?*) found+=("\${parts[1]//:/\\\\:}:$parts[2]") ;;
    esac
  done
  (( $#found )) && _describe svc found
}
if [[ $zsh_eval_context[-1] = loadautofunc ]]; then _svc "$@"; else compdef _svc svc; fi`

const fish = `# fish completion for svc
function __svc_complete
    set -l words (commandline -opc)
    set -l lines (command $words[1] __complete fish -- $words[2..-1] (commandline -ct) 2>/dev/null)
    or return
    for line in $lines
        set -l parts (string split \\t -- $line)
        switch $parts[1]
            case :files
                printf '%s\\n' $parts[2](__fish_complete_path $parts[3])
            case :folders
                printf '%s\\n' $parts[2](__fish_complete_directories $parts[3])
            case '?*'
                printf '%s\\n' $line
        end
    end
end
complete -c svc -f -k -a '(__svc_complete)'`

const powershell = `# PowerShell completion for svc
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($word, $ast, $cursor)
  $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { "$_" })
  $lines = & $before[0] __complete powershell -- @($before | Select-Object -Skip 1) "=$word" 2>$null
  if ($LASTEXITCODE -ne 0) { return }
  foreach ($line in $lines) {
    $parts = $line -split "\`t"
    if ($parts[0] -like ':*') {
      [System.Management.Automation.CompletionCompleters]::CompleteFilename($parts[2]) | ForEach-Object {
        $text = $parts[1] + $_.CompletionText
        [System.Management.Automation.CompletionResult]::new($text, $_.ListItemText, $_.ResultType, $_.ToolTip)
      }
    } elseif ($parts[0]) {
      $text = if ($parts[0] -match '\\s') { "'" + $parts[0].Replace("'", "''") + "'" } else { $parts[0] }
      $summary = if ($parts[1]) { $parts[1] } else { $text }
      [System.Management.Automation.CompletionResult]::new($text, $parts[0], 'ParameterValue', $summary)
    }
  }
}`

/** The completion scripts by shell. */
export const completionScripts = { bash, zsh, fish, powershell } as const

/** Whether there is a script for the shell of this name. */
export const isShell = (name: string): name is keyof typeof completionScripts =>
  Object.hasOwn(completionScripts, name)
