import * as E from 'fp-ts/Either'
import type { CommandResult } from '../../lib/cli/command-result'
import { type Completion, complete } from '../../lib/cli/completion/complete'
import { completionScripts, isShell } from '../../lib/cli/completion/scripts'
import { splitLine } from '../../lib/cli/completion/split-line'
import type { Context } from '../../lib/cli/declaration'
import { type Failure, internal } from '../../lib/failure/failure'

/** Runs `svc completion`: prints the script for a shell. The grammar has checked its name. */
export const runCompletion =
  ({ args: [shell = ''] }: Context<readonly []>) =>
  async (): Promise<E.Either<Failure, CommandResult>> =>
    isShell(shell)
      ? E.right({ stdout: completionScripts[shell] })
      : E.left(internal(`no completion script for ${shell}`))

/** Runs `svc __complete`: prints what can stand in place of the last word. */
export const runComplete =
  ({ args: [shell = '', ...given], commands }: Context<readonly []>) =>
  async (): Promise<E.Either<Failure, CommandResult>> => {
    const { words, replaced } = readWords(shell, given)
    const word = words.at(-1) ?? ''
    const completion = await complete(words.slice(0, -1), word, commands)
    // A shell may hold only the end of the word for the one to be replaced.
    const kept = word.endsWith(replaced) ? word.length - replaced.length : 0
    return E.right({ stdout: printCompletion(completion, word, kept) })
  }

/** The words of the command line, and the part of the last one that the shell replaces. */
interface Typed {
  readonly words: ReadonlyArray<string>
  readonly replaced: string
}

const readWords = (shell: string, given: ReadonlyArray<string>): Typed => {
  const last = given.at(-1) ?? ''
  switch (shell) {
    // bash ends words at = and : as well. Its script passes the whole line, and the part that will be replaced.
    case 'bash':
      return { words: splitLine(given[0] ?? ''), replaced: last }
    // PowerShell passes no empty arguments before 7.3. Its script puts a sign before the last word.
    case 'powershell':
      return { words: [...given.slice(0, -1), last.slice(1)], replaced: last.slice(1) }
    default:
      return { words: given, replaced: last }
  }
}

/** Writes a line for each candidate, and one for paths. The first `kept` characters of each are left out. */
const printCompletion = ({ candidates, paths }: Completion, word: string, kept: number): string => {
  const lines = candidates.map(({ text, summary }) => `${text.slice(kept)}\t${summary}`)
  const rest = paths && word.slice(Math.max(kept, paths.prefix.length))
  return [
    ...lines,
    ...(paths ? [`:${paths.kind}\t${paths.prefix.slice(kept)}\t${rest}`] : []),
  ].join('\n')
}
