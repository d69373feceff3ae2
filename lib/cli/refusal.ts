import { formatDuration } from '../text/duration'
import type { FlagSpec, Flags } from './flags'
import type { FlagValue } from './values'

/**
 * Describes the first value that its flag's declaration does not allow: a number outside its range, or an empty
 * path. `undefined` where all are allowed. spec: Global flags 4; D51, D56
 */
export const refusal = (
  flags: Flags,
  values: Readonly<Record<string, FlagValue>>,
): string | undefined => {
  for (const flag of flags) {
    const value = values[flag.name]
    if (value === '' && (flag.file || flag.folder)) return `--${flag.name} must not be empty`
    if (typeof value !== 'number' && typeof value !== 'bigint') continue
    const why = whyRefused(flag, value)
    if (why === undefined) continue
    return `--${flag.name} must ${why}, got ${typeof value === 'bigint' ? formatDuration(value) : value}`
  }
  return undefined
}

const whyRefused = (flag: FlagSpec, value: number | bigint): string | undefined => {
  if ('notNegative' in flag && value < 0) return 'not be negative'
  if (!('least' in flag) || flag.least === undefined) return undefined
  const { least, most } = flag
  if (value >= least && (most === undefined || value <= most)) return undefined
  return most === undefined ? `be at least ${least}` : `be between ${least} and ${most}`
}
