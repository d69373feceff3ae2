import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import type { Runtime } from '../../runtime/runtime'
import { createRedact, type Redact } from '../../text/secret'
import type { Logger } from '../../tracing/log'
import { readConfiguredKeys, reloadKeysOnHangup } from './configured-keys'
import { type ApiKey, checkKeys, createKeys, type Keys } from './keys'

/** The options of `svc serve` that decide which keys it accepts. */
interface KeysFlags {
  readonly host: string
  readonly 'api-keys-file': string | undefined
}

interface KeysContext {
  readonly runtime: Pick<Runtime, 'env' | 'files' | 'signal' | 'onHangup' | 'isOutputKept'>
  readonly flags: KeysFlags
  /** Redacts the other secrets of the program. */
  readonly redact: Redact
}

/** The keys that the service accepts. */
export interface OpenedKeys {
  readonly keys: Keys
  /** Reads the keys from their sources again. Fails like `openKeys`. */
  readonly readKeys: () => Promise<E.Either<Failure, ReadonlyArray<ApiKey>>>
  /** Redacts secrets, and all keys that were ever accepted. */
  readonly redact: Redact
}

/**
 * Reads the keys of `SERVICE_API_KEYS` and `--api-keys-file`. Fails with a usage error if they are invalid, or if there are none and
 * other machines can reach the service.
 */
export const openKeys = async (
  context: KeysContext,
  log: Logger,
): Promise<E.Either<Failure, OpenedKeys>> => {
  const { runtime, flags } = context
  const { env, files, signal } = runtime
  const sources = { list: env.SERVICE_API_KEYS, file: flags['api-keys-file'] }
  const acceptedKeys = new Set<string>()
  const readKeys = async () => {
    const configured = await readConfiguredKeys(sources, { files, log, signal })()
    if (E.isLeft(configured)) return configured
    const checked = checkKeys(flags.host, configured.right)
    if (E.isLeft(checked)) return checked
    for (const { key } of checked.right) acceptedKeys.add(key)
    return checked
  }
  const initialKeys = await readKeys()
  if (E.isLeft(initialKeys)) return initialKeys
  let redactAccepted: Redact = createRedact([...acceptedKeys])
  let redactedCount = acceptedKeys.size
  const redact: Redact = (text) => {
    if (acceptedKeys.size > redactedCount) {
      redactAccepted = createRedact([...acceptedKeys])
      redactedCount = acceptedKeys.size
    }
    return redactAccepted(context.redact(text))
  }
  return E.right({ keys: createKeys(initialKeys.right), readKeys, redact })
}

/**
 * Lets SIGHUP reload the file of keys, and open the answer log anew with `reopenLog`. Without either of them, SIGHUP stops the service like SIGTERM, unless stdout or stderr is a file, as under
 * `nohup`: Node forgets that `nohup` has told it to ignore the signal. Returns the signal that stops the service.
 */
export const watchHangup = (
  { runtime, flags }: KeysContext,
  { keys, readKeys }: OpenedKeys,
  log: Logger,
  reopenLog?: () => void,
): AbortSignal => {
  if (reopenLog !== undefined) runtime.onHangup?.(reopenLog)
  if (flags['api-keys-file'] !== undefined) {
    reloadKeysOnHangup(readKeys, keys, runtime, log)
    return runtime.signal
  }
  if (reopenLog !== undefined) return runtime.signal
  const hangup = new AbortController()
  const isKept = runtime.isOutputKept?.() ?? false
  runtime.onHangup?.(() => {
    if (!isKept) hangup.abort()
  })
  return AbortSignal.any([runtime.signal, hangup.signal])
}
