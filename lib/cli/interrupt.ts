import type { Runtime } from '../runtime/runtime'

/** Stands for a result that did not come in time after an interrupt. */
export const notInTime = Symbol('late')

/** Waits for `work`, but after an interrupt for at most `graceMs` milliseconds, counted from the interrupt. */
export type WaitAtMost = <A>(graceMs: number, work: Promise<A>) => Promise<A | typeof notInTime>

/** Records when a run is interrupted. Returns the function that waits no longer than the interrupt allows. */
export const watchInterrupt = ({ signal, clock }: Runtime): WaitAtMost => {
  const interruptedAt = new Promise<number>((resolve) => {
    const note = (): void => resolve(clock.monotonic())
    if (signal.aborted) note()
    else signal.addEventListener('abort', note)
  })
  return async (graceMs, work) => {
    let cancel = (): void => undefined
    const cut = interruptedAt.then(
      (at) =>
        new Promise<typeof notInTime>((resolve) => {
          const left = graceMs - (clock.monotonic() - at)
          cancel = clock.timer(Math.max(0, left), () => resolve(notInTime))
        }),
    )
    return Promise.race([work, cut]).finally(() => cancel())
  }
}
