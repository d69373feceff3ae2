import { maxTimerMs } from '../../failure/text/duration'
import type { Clock, Ending } from '../../runtime/runtime'

/** A time limit. It ends when the time is up, and when the parent signal fires. */
export interface Deadline extends Ending {
  /** Whether the time was up, rather than the parent signal fired. */
  readonly isExpired: () => boolean
  /** Stops the clock. With `abort` the exchange ends too, which closes a connection that is still open. */
  readonly end: (abort: boolean) => void
}

/** Starts the clock. `ms` is in milliseconds; 0 means no limit, and so does a time longer than Node's timers allow. */
export const startDeadline = (
  clock: Pick<Clock, 'timer'>,
  parent: AbortSignal | undefined,
  ms: number,
): Deadline => new RunningDeadline(clock, parent, ms)

/** A class, since an object with a getter of its own costs V8 a shape of its own, and with it a tenth of an exchange. */
class RunningDeadline implements Deadline {
  private isAborted: boolean
  private expired = false
  private controller: AbortController | undefined
  private readonly listeners: Array<() => void> = []
  private readonly stop: () => void

  constructor(
    clock: Pick<Clock, 'timer'>,
    private readonly parent: AbortSignal | undefined,
    ms: number,
  ) {
    this.isAborted = parent?.aborted ?? false
    this.stop = ms > 0 && ms <= maxTimerMs ? clock.timer(ms, this.expire) : () => undefined
    parent?.addEventListener('abort', this.cancel)
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.isAborted) this.controller.abort()
    return this.controller.signal
  }

  whenOver(run: () => void): void {
    if (this.isAborted) run()
    else this.listeners.push(run)
  }

  isExpired(): boolean {
    return this.expired
  }

  end(abort: boolean): void {
    this.stop()
    this.parent?.removeEventListener('abort', this.cancel)
    if (abort) this.cancel()
  }

  private readonly cancel = (): void => {
    this.isAborted = true
    for (const run of this.listeners.splice(0)) run()
    this.controller?.abort()
  }

  private readonly expire = (): void => {
    this.expired = true
    this.cancel()
  }
}
