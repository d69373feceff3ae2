import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import { type Completion, complete } from '../../lib/cli/completion/complete'
import { completionScripts, isShell } from '../../lib/cli/completion/scripts'
import { splitLine } from '../../lib/cli/completion/split-line'
import type { Context } from '../../lib/cli/declaration'
import { internal } from '../../lib/failure/failure'

/** Runs `svc completion`: prints the script for a shell. The parser has already refused an unknown shell. */
export const runCompletion = async ({ args }: Context<readonly []>): Promise<CommandOutcome> => {
  const [shell = ''] = args
  if (!isShell(shell)) return E.left(internal(`no completion script for ${shell}`))
  return E.right({ stdout: completionScripts[shell] })
}

/** Runs `svc __complete`: prints the completions of the last word for the script of a shell. */
export const runComplete = async ({
  args,
  commands,
}: Context<readonly []>): Promise<CommandOutcome> => {
  const [shell = '', ...shellWords] = args
  const { words, replacedEnd } = parseShellWords(shell, shellWords)
  const word = words.at(-1) ?? ''
  const completion = await complete(words.slice(0, -1), word, commands)
  // bash replaces only the end of a word that contains = or :. The candidates must lack the part before. In a quoted word the end
  // may be spelled differently; the candidates then stay whole.
  const skippedLength = word.endsWith(replacedEnd) ? word.length - replacedEnd.length : 0
  return E.right({ stdout: formatCompletion(completion, word, skippedLength) })
}

interface ShellWords {
  /** The words of the command line after the program's name. The last word is the one to complete. */
  readonly words: ReadonlyArray<string>
  /** The end of the last word, which the shell replaces by the chosen candidate. */
  readonly replacedEnd: string
}

const parseShellWords = (shell: string, args: ReadonlyArray<string>): ShellWords => {
  const last = args.at(-1) ?? ''
  switch (shell) {
    // bash also splits words at = and :. Its script passes the whole line, and the part of the word that bash replaces.
    case 'bash':
      return { words: splitLine(args[0] ?? ''), replacedEnd: last }
    // PowerShell before 7.3 drops empty arguments. Its script therefore puts a = before the last word.
    case 'powershell':
      return { words: [...args.slice(0, -1), last.slice(1)], replacedEnd: last.slice(1) }
    default:
      return { words: args, replacedEnd: last }
  }
}

/** Formats a line for each candidate, and one for paths. The first `skippedLength` characters of each text are left out. */
const formatCompletion = (
  { candidates, paths }: Completion,
  word: string,
  skippedLength: number,
): string => {
  const lines = candidates.map(({ text, summary }) => `${text.slice(skippedLength)}\t${summary}`)
  if (paths !== undefined) {
    const path = word.slice(Math.max(skippedLength, paths.prefix.length))
    lines.push(`:${paths.kind}\t${paths.prefix.slice(skippedLength)}\t${path}`)
  }
  return lines.join('\n')
}
