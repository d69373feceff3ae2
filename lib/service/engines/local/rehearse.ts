import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import * as E from 'fp-ts/Either'
import type { Clock, Files } from '../../../runtime/runtime'
import type { Token } from './library'

/** The tokens that the model's chat template puts before and after a user's message. */
export interface ChatFrame {
  readonly before: ReadonlyArray<Token>
  readonly after: ReadonlyArray<Token>
}

/** How a model is to be opened. */
interface Opening {
  readonly modelPath: string
  readonly contextSize: number
  readonly batchSize: number
  readonly threads: number
}

/** What the rehearsal uses besides the model. */
export interface Stage {
  /** A folder from which Node finds node-llama-cpp. */
  readonly folder: string
  readonly clock: Clock
  readonly files: Pick<Files, 'read' | 'size'>
  /** When this fires, the child process is killed. */
  readonly signal: AbortSignal
}

/** Opens a model apart from this process, as `rehearse` does. */
export type Rehearse = (
  opening: Opening,
  world: Omit<Stage, 'folder'>,
) => Promise<E.Either<string, ChatFrame>>

/**
 * Opens a model in a child process, has it render its chat template and read a word, and returns what the template puts
 * around a message. Whatever a model file does there (it may abort the process, run for ever or take all memory) comes out
 * as the reason, on one line. Afterwards the file can be opened in this process, without its template. The library's own
 * output is thrown away.
 */
export const rehearse = async (
  opening: Opening,
  { folder, clock, files, signal }: Stage,
): Promise<E.Either<string, ChatFrame>> => {
  const args = ['--max-old-space-size=2048', '-e', script]
  const child = spawn(process.execPath, [...args, JSON.stringify(opening)], {
    ...{ cwd: folder, signal, killSignal: 'SIGKILL' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // An abort of the signal is reported as an error; the child's end follows.
  child.on('error', () => undefined)
  const ended = new Promise<string>((resolve) =>
    child.on('close', (code, by) => resolve(`the library ended with ${by ?? `code ${code}`}`)),
  )
  let why: string | undefined
  const kill = (reason: string) => (): void => {
    why ??= reason
    child.kill('SIGKILL')
  }
  const allowed = await mostMemory(opening, files)
  const stopWatching = watchMemory(
    child.pid ?? 0,
    allowed,
    { clock, files },
    kill(`it takes more than ${Math.round(allowed / 2 ** 30)} GiB of memory`),
  )
  let frame: ChatFrame | undefined
  let stopTimer = clock.timer(limits.load, kill('it is not loaded within 5 minutes'))
  for await (const line of createInterface(child.stdout)) {
    stopTimer()
    const said = JSON.parse(line) as Report
    if (said.step === 'loaded')
      stopTimer = clock.timer(limits.template, kill('its chat template takes more than 10 seconds'))
    else if (said.step === 'rendered') {
      frame = { before: said.before, after: said.after }
      stopTimer = clock.timer(limits.load, kill('it does not read a word within 5 minutes'))
    } else if (said.step === 'failed') why ??= said.why
    else if (frame !== undefined) return finish(E.right(frame))
  }
  return finish(E.left(await ended.then((end) => why ?? end)))

  function finish<A>(result: A): A {
    stopTimer()
    stopWatching()
    child.kill('SIGKILL')
    return result
  }
}

/** The most time for a step, in milliseconds. Large models load slowly from slow disks; templates render at once. */
const limits = { load: 300_000, template: 10_000 } as const

/** What the child process reports, each on a line of its own. */
type Report =
  | { readonly step: 'loaded' | 'read' }
  | ({ readonly step: 'rendered' } & ChatFrame)
  | { readonly step: 'failed'; readonly why: string }

/** The most bytes that opening a model may take: its weights twice, room for the context, and 4 GiB. */
const mostMemory = async (
  { modelPath, contextSize }: Opening,
  files: Stage['files'],
): Promise<number> => {
  const size = await files.size(modelPath).catch(() => undefined)
  return 2 * (size ?? 0) + contextSize * (1 << 20) + 4 * 2 ** 30
}

/**
 * Looks five times a second how much memory a process takes, and calls `run` once it is more than `most` bytes. Returns a
 * function that ends this. Only Linux tells; elsewhere the time limits have to do.
 */
const watchMemory = (
  pid: number,
  most: number,
  { clock, files }: Pick<Stage, 'clock' | 'files'>,
  run: () => void,
): (() => void) => {
  let stop = (): void => undefined
  const look = async (): Promise<void> => {
    const pages = await files.read(`/proc/${pid}/statm`).catch(() => undefined)
    if (pages === undefined) return
    const resident = 4096 * Number(Buffer.from(pages).toString().split(' ')[1])
    if (resident > most) run()
    else stop = clock.timer(200, () => void look())
  }
  stop = clock.timer(200, () => void look())
  return () => stop()
}

/** The program of the child process: text, since it runs apart from svc's own files and needs none of them. */
const script = `
const { writeSync } = require('node:fs')
const { modelPath, contextSize, batchSize, threads } = JSON.parse(process.argv[1])
const report = (line) => writeSync(1, JSON.stringify(line) + '\\n')
const mark = 'svc-message-of-the-user'
let logged
const open = async () => {
  const { LlamaText, getLlama, resolveChatWrapper } = await import('node-llama-cpp')
  const llama = await getLlama({
    build: 'never', skipDownload: true, progressLogs: false, logLevel: 'error', maxThreads: threads,
    logger: (_, message) => { logged ??= message.replace(/^\\w+: (?:error loading model: )?/, '').trim() },
  })
  const model = await llama.loadModel({ modelPath })
  const context = await model.createContext({
    contextSize: Math.min(contextSize, model.trainContextSize), batchSize, flashAttention: false, threads,
  })
  report({ step: 'loaded' })
  const template = model.fileInfo.metadata?.tokenizer?.chat_template
  const wrapper = resolveChatWrapper(model, typeof template !== 'string' ? { warningLogs: false } : {
    type: 'jinjaTemplate', warningLogs: false, fallbackToOtherWrappersOnJinjaError: false,
    customWrapperSettings: { jinjaTemplate: {
      functionCallMessageTemplate: 'noJinja', additionalRenderParameters: { enable_thinking: false },
    } },
  })
  const history = [{ type: 'user', text: mark }, { type: 'model', response: [''] }]
  const { values } = wrapper.generateContextState({ chatHistory: history }).contextText
  const at = values.findIndex((value) => typeof value === 'string' && value.includes(mark))
  if (at < 0) throw new Error('its chat template leaves the message of the user out')
  const [head, tail] = values[at].split(mark)
  const before = LlamaText([...values.slice(0, at), head]).tokenize(model.tokenizer)
  const after = LlamaText([tail, ...values.slice(at + 1)]).tokenize(model.tokenizer, 'trimLeadingSpace')
  const { bos, shouldPrependBosToken } = model.tokens
  if (shouldPrependBosToken && bos !== null && before[0] !== bos) before.unshift(bos)
  report({ step: 'rendered', before, after })
  const tokens = [...before, ...model.tokenize('Hello'), ...after]
  const last = tokens.pop()
  await context.getSequence().controlledEvaluate([...tokens, [last, { generateNext: { token: true } }]])
  report({ step: 'read' })
}
const fail = (error) => {
  report({ step: 'failed', why: logged ?? String(error?.message ?? error).split('\\n', 1)[0] })
  process.exit(0)
}
// llama.cpp logs from another thread, a little later.
open().catch((error) => setTimeout(fail, 100, error))
`
