import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import { usage } from '../../lib/failure/failure'
import { createFile, runFileOperation } from '../../lib/failure/named-files'
import { printStarter } from '../../lib/review/starter'
import type { Files, Runtime } from '../../lib/runtime/runtime'

interface InitContext {
  readonly runtime: Pick<Runtime, 'files'>
  readonly flags: { readonly file: string }
  readonly args: ReadonlyArray<string>
  readonly isPassed: (name: 'file') => boolean
}

/**
 * Runs `svc init`: writes the request of the topic `request` and prints its path. With an argument it writes the worked
 * example into a folder.
 */
export const runInit = async (context: InitContext): Promise<CommandOutcome> => {
  const { runtime, flags, args, isPassed } = context
  const [example, folder = '.'] = args
  if (example === undefined) {
    const { findFirstCodeBlock, topics } = await import('../../lib/help/topics')
    // The first code block of the topic is a complete request. The topic exists: `''` is only for the compiler.
    const request = findFirstCodeBlock(topics.get('request') ?? '')
    return writeStarter(runtime.files, flags.file, request, '--file')
  }
  if (isPassed('file')) return E.left(usage('--file cannot be combined with an example'))
  return writeExample(runtime.files, folder)
}

/** Writes the worked example. Fails before it writes anything if one of its files exists. */
const writeExample = async (files: Runtime['files'], folder: string): Promise<CommandOutcome> => {
  const { exampleFiles } = await import('../../lib/help/tickets')
  const planned = exampleFiles.map(({ name, content }) => ({ path: join(folder, name), content }))
  for (const { path } of planned)
    if (await fileExists(files, path))
      return E.left(usage(`${path} already exists; name another folder`))
  const made = await runFileOperation(`create folder ${folder}`, () => files.makeFolder(folder))()
  if (E.isLeft(made)) return made
  for (const { path, content } of planned) {
    const written = await createFile(files, path, content, 'another folder')()
    if (E.isLeft(written)) return written
  }
  return E.right({ stdout: { document: { wrote: planned.map(({ path }) => path) } } })
}

/** Returns `true` if the file can be read. Reads none of its bytes. */
const fileExists = (files: Pick<Files, 'read'>, path: string): Promise<boolean> =>
  files.read(path, 0).then(
    () => true,
    () => false,
  )

/** Runs `svc review init`: writes the starter configuration and prints its path. */
export const runReviewInit = (context: {
  readonly runtime: Pick<Runtime, 'files'>
  readonly flags: { readonly units: string }
}): Promise<CommandOutcome> =>
  writeStarter(context.runtime.files, context.flags.units, printStarter(), '--units')

/** Writes a new file and prints its path. Fails if the file exists; the message then names `flag`. */
const writeStarter = async (
  files: Pick<Files, 'create'>,
  path: string,
  text: string,
  flag: string,
): Promise<CommandOutcome> => {
  const written = await createFile(files, path, text, flag)()
  return E.isLeft(written) ? written : E.right({ stdout: { document: { wrote: path } } })
}
