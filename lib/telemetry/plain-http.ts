import { isLoopback } from '../runtime/http/loopback'
import type { Logger } from './log'

/** Logs a warning where a key is sent to this address over the network without encryption. D60 */
export const warnOfPlainHttp = (
  log: Logger,
  key: 'API' | 'tracing',
  { protocol, hostname }: URL,
): void => {
  if (protocol === 'http:' && !isLoopback(hostname))
    log.warning(`the ${key} key is sent without encryption`, { host: hostname })
}
