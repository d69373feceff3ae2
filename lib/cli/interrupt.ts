import type { Runtime } from '../runtime/runtime'

/** Stands for a result that did not come in time after an interrupt. */
export const late = Symbol('late')

/** Waits for `work`, but after an interrupt no longer than `graceMs`. */
export const orLate = <A>(
  runtime: Runtime,
  graceMs: number,
  work: Promise<A>,
): Promise<A | typeof late> => {
  let cancel = (): void => undefined
  const { signal, clock } = runtime
  let onAbort = (): void => undefined
  const cut = new Promise<typeof late>((resolve) => {
    onAbort = () => {
      cancel = clock.timer(graceMs, () => resolve(late))
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
  return Promise.race([work, cut]).finally(() => {
    cancel()
    signal.removeEventListener('abort', onAbort)
  })
}
