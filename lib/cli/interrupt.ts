import type { Runtime } from '../runtime/runtime'

/** Stands for a result that did not come in time after an interrupt. */
export const late = Symbol('late')

/** Waits for `work`, but after an interrupt for at most `graceMs` milliseconds, counted from the interrupt. */
export type OrLate = <A>(graceMs: number, work: Promise<A>) => Promise<A | typeof late>

/** Records when a run is interrupted, and returns the function that waits accordingly. */
export const watchInterrupt = ({ signal, clock }: Runtime): OrLate => {
  let since: number | undefined
  const note = (): void => {
    since ??= clock.monotonic()
  }
  if (signal.aborted) note()
  else signal.addEventListener('abort', note)
  return (graceMs, work) => {
    let cancel = (): void => undefined
    let onAbort = (): void => undefined
    const cut = new Promise<typeof late>((resolve) => {
      onAbort = () => {
        const left = graceMs - (clock.monotonic() - (since ?? clock.monotonic()))
        cancel = clock.timer(Math.max(0, left), () => resolve(late))
      }
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort)
    })
    return Promise.race([work, cut]).finally(() => {
      cancel()
      signal.removeEventListener('abort', onAbort)
    })
  }
}
