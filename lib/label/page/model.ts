import type { LabelScreen, OpenedPage, PageAnswer, RefusalMessage } from '../protocol'

/** Sends a message to the server. Rejects if the server cannot be reached, or did not understand the message. */
export type SendMessage = (
  path: string,
  body: object,
) => Promise<OpenedPage | LabelScreen | RefusalMessage>

export interface PageState {
  /** Absent until the server has responded for the first time. */
  readonly opened?: OpenedPage
  readonly screen?: LabelScreen
  /** The refusal after which the page stopped. */
  readonly stopReason?: RefusalMessage
  readonly isFinished?: boolean
  /** The reason why the last message had no effect and is sent again, or `''`. */
  readonly saveProblem: string
  /** A sentence for the person about the last message, or `''`. */
  readonly notice: string
  /** For example `about 4 min left`; `''` if unknown. */
  readonly timeLeft: string
}

const retryIntervalMs = 1000

const unreachableMessage =
  'Not saved yet: svc label does not answer. The page tries again every second. If you stopped svc label, start it again and open its new address.'

/**
 * The state of the page, without its looks. To lose no answer, the page sends each message again until the server has handled
 * it, and ignores keys and buttons until then.
 */
export class PageModel {
  state: PageState = { saveProblem: '', notice: '', timeLeft: '' }
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
    const opened = (await this.sendUntilHandled('/api/open', {})) as OpenedPage
    const notice = opened.hasTakenOver
      ? 'Another tab had this table open. This tab goes on from here.'
      : ''
    this.change({ opened, screen: opened, stopReason: undefined, notice })
  }

  async answer(answer: PageAnswer, note: string): Promise<void> {
    const step = this.state.screen?.step
    if (step === undefined || step === null || this.isBusy) return
    this.answerTimes.push(Date.now())
    await this.request('/api/answer', { stepIndex: step.index, answer, note }, {})
  }

  undo(): Promise<void> {
    const done = this.state.screen?.progress.done
    return this.request('/api/undo', { done }, { notice: 'The last answer was taken back.' })
  }

  finish(): Promise<void> {
    return this.request('/api/finish', {}, { isFinished: true })
  }

  /**
   * Sends a message and shows the response. Makes `changes` to the state if the server did not refuse the message. Does nothing
   * while an earlier message is not handled yet.
   */
  private async request(path: string, body: object, changes: Partial<PageState>): Promise<void> {
    const { opened } = this.state
    if (this.isBusy || opened === undefined) return
    this.isBusy = true
    const result = await this.sendUntilHandled(path, { tab: opened.tab, ...body })
    this.isBusy = false
    if ('refusal' in result) {
      const canGoOn = result.refusal === 'bad request'
      this.change(canGoOn ? { notice: result.message } : { stopReason: result })
      return
    }
    const { steps, done } = result.progress
    const timeLeft = estimateTimeLeft(this.answerTimes, steps - done)
    this.change({ screen: result, notice: '', timeLeft, ...changes })
  }

  /** Sends a message again every second, until the server can be reached and can write. */
  private async sendUntilHandled(path: string, body: object) {
    for (;;) {
      const result = await this.send(path, body).catch(() => undefined)
      const saveProblem = describeSaveProblem(result)
      this.change({ saveProblem })
      if (result !== undefined && saveProblem === '') return result
      await this.sleep(retryIntervalMs)
    }
  }

  private change(changes: Partial<PageState>): void {
    this.state = { ...this.state, ...changes }
    this.onChange(this)
  }
}

/** Describes why a message has no effect yet; `''` if the server has handled it. `result` is `undefined` if the server cannot be reached. */
const describeSaveProblem = (result: OpenedPage | LabelScreen | RefusalMessage | undefined) => {
  if (result === undefined) return unreachableMessage
  const isNotWritten = 'refusal' in result && result.refusal === 'not written'
  return isNotWritten ? `Not saved yet. ${result.message} The page tries again every second.` : ''
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
