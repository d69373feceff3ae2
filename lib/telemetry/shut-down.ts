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
    for (const exporter of provider.exporters) exporter.close(cause)
  }
  for (const exporter of provider.exporters) exporter.drain(bound)

  let cancel = (): void => undefined
  const passed = new Promise<void>((resolve) => {
    cancel = clock.timer(bound, () => {
      closeAll(`not finished within ${bound} ms`)
      // What was ended reports itself within this turn; after it nobody is waited for.
      setImmediate(resolve)
    })
  })
  const finished = provider
    .shutdown()
    .catch(fail)
    .then(() => Promise.all(provider.exporters.map((exporter) => exporter.settled())))
  await Promise.race([finished, passed])
  cancel()
  closeAll('shut down')
  return failures[0]
}
