import { once } from 'node:events'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { quoteForShell } from '../../lib/cli/hint'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import type { PageFiles } from '../../lib/label/label-app'
import { type LabelServer, startLabelServer } from '../../lib/label/label-server'
import { describeQuestion } from '../../lib/label/page-content'
import type { LabelProgress, PageQuestion } from '../../lib/label/protocol'
import { writeRemark } from '../../lib/runs/rows/find-rows'
import { parseTextFlags, type TextFlags } from '../../lib/runs/rows/form'
import { describeSpanningCells } from '../../lib/runs/tables/table-rows'
import type { Files, Runtime } from '../../lib/runtime/runtime'
import { readTemplate } from '../request/read-questions'

/** The options of `svc label`. */
interface LabelCommandOptions extends TextFlags {
  readonly input: string | undefined
  readonly file: string | undefined
  readonly output: string | undefined
  readonly seed: number
  /** The number of rows that the page shows a second time, to see how often a person gives the same answer. */
  readonly again: number
  readonly port: number
  readonly 'image-field': ReadonlyArray<string>
  readonly 'follow-links': boolean
  readonly 'no-open': boolean
}

type LabelContext = ContextWith<LabelCommandOptions>

/** Runs `svc label`: serves the page until the user presses done, or the process gets a signal. Fails after SIGINT. */
export const runLabel = async (context: LabelContext): Promise<CommandOutcome> => {
  const { runtime, flags } = context
  const { input, output, seed, again: repeatedRowCount, port, 'image-field': imageFields } = flags
  if (input === undefined) return E.left(usage('-i is required: the table that svc sample wrote'))
  const questions = await readQuestions(flags, runtime)
  if (E.isLeft(questions)) return questions
  const form = parseTextFlags(flags)
  if (E.isLeft(form)) return form
  if (flags['follow-links'] && imageFields.length === 0)
    return E.left(usage('--follow-links needs --image-field'))
  const nextCommand = `svc eval run.jsonl --labels ${quoteForShell(output ?? input)} --table`
  const options = {
    input,
    output,
    form: form.right,
    questions: questions.right,
    seed,
    repeatedRowCount,
    port,
    imageFields,
    followLinks: flags['follow-links'],
    nextCommand,
  }
  const server = await startLabelServer(options, runtime.files, () => readPageFiles(runtime.files))
  if (E.isLeft(server)) return server
  await writeRemark(runtime.stderr, describeSpanningCells(input, server.right.spanningCells))
  return serveUntilDone(context, server.right)
}

const readQuestions = async (
  { file }: LabelCommandOptions,
  runtime: Runtime,
): Promise<E.Either<Failure, ReadonlyArray<PageQuestion>>> => {
  if (file === undefined) return E.left(usage('-f is required: the questions of the run'))
  // svc label has no question flags such as --noul, so the questions always come from the file.
  const template = await readTemplate({ file, noul: [], choice: [], score: [] }, runtime)
  if (E.isLeft(template)) return template
  const questions: PageQuestion[] = []
  for (const [id, question] of template.right.questions) {
    const pageQuestion = describeQuestion(id, question)
    if (pageQuestion === undefined)
      return E.left(usage(`questions.${id}: svc label does not know questions of this type`))
    questions.push(pageQuestion)
  }
  return E.right(questions)
}

/** The folder with the files of the page. The built program has this code in `chunks/`, and the page in `label/` beside it. */
export const pageFolder = join(import.meta.dirname, '..', 'label')

/** Reads the files of the page, by the path of their URL. */
const readPageFiles = async (files: Pick<Files, 'read'>): Promise<PageFiles> => {
  const read = async (name: string, mimeType: string) => {
    const content = Buffer.from(await files.read(join(pageFolder, name))).toString('utf8')
    return { type: `${mimeType}; charset=utf-8`, content }
  }
  return new Map([
    ['/', await read('index.html', 'text/html')],
    ['/page.js', await read('page.js', 'text/javascript')],
    ['/page.css', await read('page.css', 'text/css')],
  ])
}

const serveUntilDone = async (
  { runtime, flags }: LabelContext,
  { address, finished, countProgress, close }: LabelServer,
): Promise<CommandOutcome> => {
  await runtime.stderr.write(
    `svc: answers are saved as you go; open this address in your browser: ${address}\n`,
  )
  // Nothing waits for the browser. If none starts, the person still has the address.
  if (!flags['no-open'] && isForPerson(runtime)) void runtime.openBrowser?.(address)
  if (!runtime.signal.aborted) await Promise.race([finished, once(runtime.signal, 'abort')])
  await close()
  if (runtime.signal.reason === 'SIGINT') return E.left(interrupted)
  return E.right({ stdout: { document: encodeProgress(countProgress()) } })
}

/** Checks if a person sees the output. A program that reads it opens the address by itself. */
const isForPerson = ({ env, stdout, stderr }: Runtime): boolean =>
  !env.CI && stdout.isTTY && stderr.isTTY

/** Encodes the counts that svc label prints. `again` is left out (undefined) if no rows were shown a second time. */
const encodeProgress = ({ labelled, left, skipped, again }: LabelProgress) => ({
  labelled,
  left,
  skipped,
  again: again === null ? undefined : { n: again.n, agree: again.agree },
})
