/*
 * Each script runs `svc __complete` and reads the lines that it prints. A line is one of these, separated by tabs:
 *
 *   <candidate>  <summary>
 *   :files       <part of the word before the path>  <path so far>
 *   :folders     <part of the word before the path>  <path so far>
 *
 * A candidate is a text that can replace the word. It must be quoted before it is inserted, because a file may be named `$(reboot)`.
 * zsh and fish do this themselves. The scripts for bash and PowerShell do it here.
 */

/*
 * `COMP_LINE` up to `COMP_POINT` is the line up to the cursor. `$2` is the part of the word that bash replaces. `printf %q` quotes a
 * candidate; a leading `~/` stays unquoted. A folder gets a slash and no space, so that its path can be continued.
 */
const bash = `# bash completion for svc
_svc() {
  local line=\${COMP_LINE:0:COMP_POINT} lines kind prefix path word
  lines=$("$1" __complete bash -- "\${line#*"$1"}" "$2" 2>/dev/null) || return
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
    :*)
      kind=\${line%%$'\\t'*} line=\${line#*$'\\t'}
      prefix=\${line%%$'\\t'*} path=\${line#*$'\\t'}
      [[ $kind = :files ]] && kind=-f || kind=-d
      while IFS= read -r line; do
        [[ $line = *[[:cntrl:]]* ]] && continue
        printf -v word %q "$prefix$line"
        [[ $line = '~'/* ]] && word=$prefix~\${word#"$prefix"'\\~'}
        [[ -d \${line/#~/$HOME} ]] && word+=/ && compopt -o nospace 2>/dev/null
        COMPREPLY+=("$word")
      done < <(compgen "$kind" -- "$path")
      ;;
    ?*)
      printf -v word %q "\${line%%$'\\t'*}"
      COMPREPLY+=("$word")
      ;;
    esac
  done <<<"$lines"
}
complete -F _svc svc`

/*
 * `(Q)` removes quotes. `compset -p` moves the part of the word before the path out of the word. `_describe` separates candidate and
 * summary at the first colon, so the colons of a candidate are escaped.
 */
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

/* `commandline -opc` has the words before the cursor, `commandline -ct` the word at the cursor. */
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

/* PowerShell before 7.3 drops empty arguments, so a `=` precedes the word. `$quote` quotes a candidate if it needs quotes. */
const powershell = `# PowerShell completion for svc
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($word, $ast, $cursor)
  $quote = {
    param($text)
    if ($text -match '^-{0,2}\\w[\\w.=/:-]*$') { return $text }
    "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($text) + "'"
  }
  $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { "$_" })
  $lines = & $before[0] __complete powershell -- @($before | Select-Object -Skip 1) "=$word" 2>$null
  if ($LASTEXITCODE -ne 0) { return }
  foreach ($line in $lines) {
    $parts = $line -split "\`t"
    if ($parts[0] -like ':*') {
      [System.Management.Automation.CompletionCompleters]::CompleteFilename($parts[2]) | ForEach-Object {
        $path = $_.CompletionText
        if ($path -match "^'(.*)'$") { $path = $Matches[1].Replace("''", "'") }
        $text = & $quote ($parts[1] + $path)
        [System.Management.Automation.CompletionResult]::new($text, $_.ListItemText, $_.ResultType, $_.ToolTip)
      }
    } elseif ($parts[0]) {
      $text = & $quote $parts[0]
      $summary = if ($parts[1]) { $parts[1] } else { $text }
      [System.Management.Automation.CompletionResult]::new($text, $parts[0], 'ParameterValue', $summary)
    }
  }
}`

/** The completion scripts that `svc completion` prints, by shell. */
export const completionScripts = { bash, zsh, fish, powershell } as const

/** Returns `true` if there is a script for the shell of this name. */
export const isShell = (name: string): name is keyof typeof completionScripts =>
  Object.hasOwn(completionScripts, name)
