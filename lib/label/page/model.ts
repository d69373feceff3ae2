import type {
  CheckedPage,
  LabelScreen,
  OpenedPage,
  PageAnswer,
  PageQuestion,
  RefusalMessage,
} from '../protocol'

/** A response of the server. */
type PageMessage = OpenedPage | LabelScreen | CheckedPage | RefusalMessage

/** Sends a message to the server. Rejects if the server cannot be reached in time, or did not understand the message. */
export type SendMessage = (path: string, body: object) => Promise<PageMessage>

export interface PageState {
  /** Absent until the server has responded for the first time. */
  readonly opened?: OpenedPage
  readonly screen?: LabelScreen
  /** The refusal after which the page stopped. */
  readonly stopReason?: RefusalMessage
  readonly isFinished?: boolean
  /** The reason why the last message had no effect and is sent again, or `''`. */
  readonly saveProblem: string
  /** The reason why the next answer could not be saved, or `''`. */
  readonly connectionProblem: string
  /** A sentence for the person about the last message, or `''`. */
  readonly notice: string
  /** True if the notice is about an answer that can be taken back. */
  readonly isUndoable: boolean
  /** For example `about 4 min left`; `''` if unknown. */
  readonly timeLeft: string
}

const retryIntervalMs = 1000

/** Together with the time limit of a check, this is less than the 5 seconds within which the page notices that something is wrong. */
const checkIntervalMs = 2000

const restartAdvice =
  'If you stopped svc label, start it again with the same command and open its new address.'

/**
 * The state of the page, without its looks. To lose no answer, the page sends each message again until the server has handled
 * it, and ignores keys and buttons until then.
 */
export class PageModel {
  state: PageState = {
    saveProblem: '',
    connectionProblem: '',
    notice: '',
    isUndoable: false,
    timeLeft: '',
  }
  /** True while a message is not handled yet. */
  private isBusy = false
  /** When the person answered, in milliseconds. */
  private readonly answerTimes: number[] = []

  constructor(
    private readonly send: SendMessage,
    private readonly sleep: (ms: number) => Promise<void>,
    private readonly onChange: (model: PageModel) => void,
  ) {}

  async open(): Promise<void> {
    // The server never refuses to open a tab.
    const opened = (await this.sendUntilHandled('/api/open', {}, describeLoadProblem)) as OpenedPage
    const notice = opened.hasTakenOver
      ? 'Another tab had this table open. This tab goes on from here.'
      : ''
    this.change({ opened, screen: opened, stopReason: undefined, notice, isUndoable: false })
  }

  async answer(answer: PageAnswer, note: string): Promise<void> {
    const { opened, screen } = this.state
    const step = screen?.step
    if (opened === undefined || step === undefined || step === null || this.isBusy) return
    this.answerTimes.push(Date.now())
    const notice = describeSaved(answer, opened.questions[step.questionIndex])
    await this.request(
      '/api/answer',
      { stepIndex: step.index, answer, note },
      { notice, isUndoable: true },
    )
  }

  async undo(): Promise<void> {
    const done = this.state.screen?.progress.done
    await this.request('/api/undo', { done }, {})
    const { opened, screen, stopReason } = this.state
    const undone = screen?.step?.undone
    if (undone && stopReason === undefined) {
      const question = opened?.questions[screen?.step?.questionIndex ?? 0]
      this.change({ notice: `Taken back: ${describeAnswer(undone.answer, question)}.` })
    }
  }

  /** Shows the steps that the person skipped once more. */
  revisit(): Promise<void> {
    return this.request('/api/revisit', {}, { notice: 'These are the rows that you skipped.' })
  }

  finish(): Promise<void> {
    return this.request('/api/finish', {}, { isFinished: true })
  }

  /** Checks every two seconds if the next answer could be saved. Resolves when the page has finished. */
  async watch(): Promise<void> {
    for (;;) {
      await this.sleep(checkIntervalMs)
      if (this.state.isFinished) return
      await this.check()
    }
  }

  /** Checks if the server can be reached, and if the tab may still write. Changes the state if not. */
  async check(): Promise<void> {
    const { opened, stopReason } = this.state
    if (opened === undefined || stopReason !== undefined) return
    const result = await this.send('/api/check', { tab: opened.tab }).catch(() => undefined)
    // The state may have changed in the meantime.
    if (this.state.isFinished || this.state.stopReason || this.state.opened !== opened) return
    if (result === undefined)
      return this.change({
        connectionProblem: `svc label does not answer. No answer waits: all of them are in ${opened.table}. ${restartAdvice}`,
      })
    if ('refusal' in result) return this.change({ connectionProblem: '', stopReason: result })
    if (this.state.connectionProblem !== '') this.change({ connectionProblem: '' })
  }

  /**
   * Sends a message and shows the response. Makes `changes` to the state if the server did not refuse the message. Does nothing
   * while an earlier message is not handled yet.
   */
  private async request(path: string, body: object, changes: Partial<PageState>): Promise<void> {
    const { opened } = this.state
    if (this.isBusy || opened === undefined) return
    this.isBusy = true
    const describe = path === '/api/answer' ? describeAnswerProblem : describeMessageProblem
    const message = { tab: opened.tab, ...body }
    const result = await this.sendUntilHandled(path, message, describe)
    this.isBusy = false
    if ('refusal' in result) {
      const canGoOn = result.refusal === 'bad request'
      this.change(canGoOn ? { notice: result.message, isUndoable: false } : { stopReason: result })
      return
    }
    // The responses to these messages have the next screen.
    const screen = result as LabelScreen
    const { steps, done } = screen.progress
    const timeLeft = estimateTimeLeft(this.answerTimes, steps - done)
    this.change({ screen, notice: '', isUndoable: false, timeLeft, ...changes })
  }

  /** Sends a message again every second, until the server can be reached and can write. */
  private async sendUntilHandled(path: string, body: object, describeProblem: DescribeProblem) {
    for (;;) {
      const result = await this.send(path, body).catch(() => undefined)
      const isNotWritten =
        result !== undefined && 'refusal' in result && result.refusal === 'not written'
      if (result !== undefined && !isNotWritten) {
        this.change({ saveProblem: '', connectionProblem: '' })
        return result
      }
      this.change({ saveProblem: describeProblem(isNotWritten ? result.message : undefined) })
      await this.sleep(retryIntervalMs)
    }
  }

  private change(changes: Partial<PageState>): void {
    this.state = { ...this.state, ...changes }
    this.onChange(this)
  }
}

/** Describes why a message has no effect yet. `reason` is that of the server, or `undefined` if the server cannot be reached. */
type DescribeProblem = (reason: string | undefined) => string

const unreachable = `svc label does not answer. The page tries again every second. ${restartAdvice}`

const describeLoadProblem: DescribeProblem = () => unreachable

const describeAnswerProblem: DescribeProblem = (reason) =>
  reason === undefined
    ? `Not saved yet: one answer waits on this page. ${unreachable}`
    : `Not saved yet: one answer waits on this page. ${reason} The page tries again every second.`

const describeMessageProblem: DescribeProblem = (reason) =>
  reason === undefined
    ? `Not done yet: ${unreachable}`
    : `Not done yet. ${reason} The page tries again every second.`

/** Describes an answer in a few words, such as `Yes`. */
const describeAnswer = (answer: PageAnswer, question: PageQuestion | undefined): string => {
  if (answer.kind === 'skip') return 'skipped'
  if (answer.kind === 'cannot tell') return 'cannot tell'
  const option = question?.options.find(({ value }) => value === answer.value)
  return cut(option?.name ?? answer.value)
}

const describeSaved = (answer: PageAnswer, question: PageQuestion | undefined): string =>
  answer.kind === 'skip' ? 'Skipped.' : `Saved: ${describeAnswer(answer, question)}.`

/** The maximum number of characters of an answer in a notice. */
const maxShownCharacters = 40

const cut = (text: string): string => {
  const characters = [...text]
  return characters.length > maxShownCharacters
    ? `${characters.slice(0, maxShownCharacters - 1).join('')}…`
    : text
}

/** A longer gap between two answers is a break, which the estimate ignores. */
const maxGapMs = 120_000

/** The number of most recent gaps from which the time left is estimated. */
const maxGapCount = 20

/**
 * Estimates how long the remaining steps take, such as `about 4 min left`, from the times of the answers in milliseconds. Returns `''`
 * for no estimate, if there are fewer than two gaps without a break, or if no steps remain.
 */
export const estimateTimeLeft = (times: ReadonlyArray<number>, stepCount: number): string => {
  const gaps = times
    .slice(1)
    .map((time, i) => time - (times[i] as number))
    .filter((gap) => gap <= maxGapMs)
    .slice(-maxGapCount)
  if (gaps.length < 2 || stepCount === 0) return ''
  const meanMs = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  const minutes = Math.ceil((meanMs * stepCount) / 60_000)
  return minutes < 90 ? `about ${minutes} min left` : `about ${Math.round(minutes / 60)} h left`
}
