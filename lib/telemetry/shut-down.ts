import type { Clock } from '../runtime/runtime'
import type { Provider } from './provider'

/** The text of what went wrong first, if anything did. */
export type Failures = string[]

/**
 * Sends what is left, waits for it at most `bound` milliseconds and then ends whatever is
 * under way, sockets included. Gives the first failure. D35
 */
export const shutDown = async (
  provider: Provider,
  bound: number,
  clock: Clock,
  fail: (error: unknown) => void,
  failures: Failures,
): Promise<string | undefined> => {
  const closeAll = (cause: string) => {
    for (const connections of provider.connections) connections.close(cause)
  }
  for (const connections of provider.connections) connections.drain()

  let cancel = (): void => undefined
  const passed = new Promise<void>((resolve) => {
    cancel = clock.timer(bound, () => {
      const late = `not finished within ${bound} ms`
      closeAll(late)
      // What was ended reports itself within this turn; after it nobody is waited for: an export
      // that waits for its next attempt cannot be ended, and the process leaves without it.
      setImmediate(() => {
        fail(new Error(late))
        resolve()
      })
    })
  })
  const finished = provider.shutdown().catch(fail).then(provider.settled)
  await Promise.race([finished, passed])
  cancel()
  closeAll('shut down')
  return failures[0]
}
