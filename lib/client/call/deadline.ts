import type { Cancellation, Clock } from '../../runtime/runtime'
import { maxTimerMs } from '../../text/duration'

/**
 * The time limit of an exchange, which is one request and its response. The exchange ends when the time is up or when the
 * parent signal is aborted. A class, because creating an object literal with a getter adds a tenth to the time of an exchange.
 */
export class Deadline implements Cancellation {
  private isCancelled: boolean
  private isTimeUp = false
  private controller: AbortController | undefined
  private readonly listeners: Array<() => void> = []
  private readonly cancelTimer: () => void

  /** Starts the time limit. There is none if `timeoutMs` is 0 or longer than Node's timers allow. */
  constructor(
    clock: Pick<Clock, 'timer'>,
    private readonly parent: AbortSignal | undefined,
    timeoutMs: number,
  ) {
    this.isCancelled = parent?.aborted ?? false
    const hasLimit = timeoutMs > 0 && timeoutMs <= maxTimerMs
    this.cancelTimer = hasLimit ? clock.timer(timeoutMs, this.expire) : () => undefined
    parent?.addEventListener('abort', this.cancelExchange)
  }

  /** Creates the signal on the first read, because creating it is slow. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.isCancelled) this.controller.abort()
    return this.controller.signal
  }

  onCancel(listener: () => void): void {
    if (this.isCancelled) listener()
    else this.listeners.push(listener)
  }

  /** Returns `true` if the time was up. */
  isExpired(): boolean {
    return this.isTimeUp
  }

  /** Stops the timer after a complete exchange. */
  stop(): void {
    this.cancelTimer()
    this.parent?.removeEventListener('abort', this.cancelExchange)
  }

  /** Stops the timer, ends the exchange and closes its connection. */
  abort(): void {
    this.stop()
    this.cancelExchange()
  }

  /** Cancels the exchange. Each listener is called once, even if the exchange is cancelled again. */
  private readonly cancelExchange = (): void => {
    this.isCancelled = true
    for (const listener of this.listeners.splice(0)) listener()
    this.controller?.abort()
  }

  private readonly expire = (): void => {
    this.isTimeUp = true
    this.cancelExchange()
  }
}
