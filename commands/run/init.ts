import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { CommandResult } from '../../lib/cli/command-result'
import { type Failure, usage } from '../../lib/failure/failure'
import { access, createFile } from '../../lib/failure/named-files'
import { printStarter } from '../../lib/review/starter'
import type { Files, Runtime } from '../../lib/runtime/runtime'

/** What `svc init` needs of its flags. */
interface InitOptions {
  readonly file: string
}

/**
 * Runs `svc init`: writes the request that the topic `request` explains and prints its path, or writes the worked example
 * into a folder.
 */
export const runInit =
  (context: {
    readonly runtime: Pick<Runtime, 'files'>
    readonly flags: InitOptions
    readonly args: ReadonlyArray<string>
    readonly isPassed: (name: 'file') => boolean
  }): TE.TaskEither<Failure, CommandResult> =>
  async () => {
    const { runtime, flags, args } = context
    const [example, folder = '.'] = args
    if (example === undefined) {
      const { exampleIn, topics } = await import('../../lib/help/topics')
      const request = exampleIn(topics.get('request') ?? '')
      return writeStarter(runtime.files, flags.file, request, '--file')()
    }
    if (context.isPassed('file')) return E.left(usage('--file cannot be combined with an example'))
    return writeExample(runtime.files, folder)
  }

/** Writes the worked example. Fails before it writes anything if one of its files exists. */
const writeExample = async (
  files: Runtime['files'],
  folder: string,
): Promise<E.Either<Failure, CommandResult>> => {
  const { exampleFiles } = await import('../../lib/help/tickets')
  const wrote: string[] = []
  for (const [name] of exampleFiles) {
    const path = join(folder, name)
    const exists = await files.read(path, 0).then(
      () => true,
      () => false,
    )
    if (exists) return E.left(usage(`${path} already exists; name another folder`))
  }
  const made = await access(`create folder ${folder}`, () => files.makeFolder(folder))()
  if (E.isLeft(made)) return made
  for (const [name, content] of exampleFiles) {
    const path = join(folder, name)
    const written = await createFile(files, path, content, 'another folder')()
    if (E.isLeft(written)) return written
    wrote.push(path)
  }
  return E.right({ stdout: { document: { wrote } } })
}

/** Runs `svc review init`: writes the starter configuration and prints its path. */
export const runReviewInit = (context: {
  readonly runtime: Pick<Runtime, 'files'>
  readonly flags: { readonly units: string }
}): TE.TaskEither<Failure, CommandResult> =>
  writeStarter(context.runtime.files, context.flags.units, printStarter(), '--units')

/** Writes a document to start from. Fails if the file that `flag` names exists. */
const writeStarter = (
  files: Pick<Files, 'create'>,
  path: string,
  text: string,
  flag: string,
): TE.TaskEither<Failure, CommandResult> =>
  pipe(
    createFile(files, path, text, flag),
    TE.map(() => ({ stdout: { document: { wrote: path } } })),
  )
