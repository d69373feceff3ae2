import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import { type Duration, formatDuration, toMillis } from '../runtime/duration'
import type { Thresholds } from './evaluate'

/** The flags that bear on how units run. */
export interface SettingFlags {
  readonly 'min-cover': number
  readonly 'max-contradict': number
  readonly 'min-thorough': number
  readonly 'max-state-bytes': number
  readonly 'unit-timeout': Duration
  readonly concurrency: number
}

/** How units run. */
export interface Settings extends Thresholds {
  /** Bytes for each of the two bundles. */
  readonly bundleBytes: number
  /** 0 for no limit. */
  readonly unitTimeoutMs: number
  /** In Go's form. */
  readonly unitTimeoutText: string
  readonly concurrency: number
}

/** The highest value of each threshold; the lowest is 0. D56 */
const highest = { 'min-cover': 1, 'max-contradict': 1, 'min-thorough': 3 } as const

const outOfRange = (flags: SettingFlags): string | undefined => {
  for (const name of ['min-cover', 'max-contradict', 'min-thorough'] as const) {
    const value = flags[name]
    if (!(value >= 0 && value <= highest[name]))
      return `--${name} must be between 0 and ${highest[name]}, got ${value}`
  }
  return undefined
}

/** Checks what the flag types leave open: thresholds within their range, positive counts, a time that is not negative. */
export const settings = (flags: SettingFlags): E.Either<Failure, Settings> => {
  const beyond = outOfRange(flags)
  if (beyond !== undefined) return E.left(usage(beyond))
  const bytes = flags['max-state-bytes']
  if (bytes < 1) return E.left(usage(`--max-state-bytes must be at least 1, got ${bytes}`))
  const { concurrency } = flags
  if (concurrency < 1) return E.left(usage(`--concurrency must be at least 1, got ${concurrency}`))
  const timeout = flags['unit-timeout']
  const text = formatDuration(timeout)
  if (timeout < 0n) return E.left(usage(`--unit-timeout must not be negative, got ${text}`))
  return E.right({
    minCover: flags['min-cover'],
    maxContradict: flags['max-contradict'],
    minThorough: flags['min-thorough'],
    bundleBytes: Math.floor(bytes / 2),
    unitTimeoutMs: toMillis(timeout),
    unitTimeoutText: text,
    concurrency,
  })
}
