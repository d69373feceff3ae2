import type { Logger } from './log'
import { isLoopback } from './loopback'

/** Logs a warning where a key is sent to this address over the network without encryption. D60 */
export const warnOfPlainHttp = (
  log: Logger,
  key: 'API' | 'tracing',
  { protocol, hostname }: URL,
): void => {
  if (protocol === 'http:' && !isLoopback(hostname))
    log.warning(`the ${key} key is sent without encryption`, { host: hostname })
}
