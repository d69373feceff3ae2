import type { Runtime } from '../runtime/runtime'

/** The result of a wait that an interrupt has ended. */
export const waitInterrupted = Symbol('wait interrupted')

/** Waits for a promise. After an interrupt it waits for at most `graceMs` milliseconds, counted from the interrupt. */
export type WaitAtMost = <A>(
  graceMs: number,
  promise: Promise<A>,
) => Promise<A | typeof waitInterrupted>

/** Watches for an interrupt from now on, and returns a function whose waits an interrupt shortens. */
export const watchInterrupt = ({ signal, clock }: Runtime): WaitAtMost => {
  const interruptedAtMs = new Promise<number>((resolve) => {
    const resolveWithTime = (): void => resolve(clock.monotonic())
    if (signal.aborted) resolveWithTime()
    else signal.addEventListener('abort', resolveWithTime)
  })
  return async (graceMs, promise) => {
    // There is no timer to cancel before an interrupt.
    let cancelTimer = (): void => undefined
    const graceOver = interruptedAtMs.then(
      (atMs) =>
        new Promise<typeof waitInterrupted>((resolve) => {
          const remainingMs = graceMs - (clock.monotonic() - atMs)
          cancelTimer = clock.timer(Math.max(0, remainingMs), () => resolve(waitInterrupted))
        }),
    )
    return Promise.race([promise, graceOver]).finally(() => cancelTimer())
  }
}
