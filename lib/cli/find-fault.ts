import { formatDuration, maxTimerMs, toMillis } from '../failure/text/duration'
import type { FlagRange, FlagSpec, Flags } from './flags'
import type { FlagValue } from './values'

/**
 * Describes the first value that its flag does not accept: a word that is not in the flag's list, a number outside the
 * flag's range, or an empty path. Returns `undefined` if every value is accepted.
 */
export const findFault = (
  flags: Flags,
  values: Readonly<Record<string, FlagValue>>,
): string | undefined => {
  for (const flag of flags) {
    const fault = describeFault(flag, values[flag.name])
    if (fault !== undefined) return fault
  }
  return undefined
}

const describeFault = (flag: FlagSpec, value: FlagValue): string | undefined => {
  if (typeof value === 'string') return describeTextFault(flag, value)
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined
  const range = describeMissedRange(flag, value)
  if (range === undefined) return undefined
  const shown = typeof value === 'bigint' ? formatDuration(value) : value
  return `--${flag.name} must ${range}, got ${shown}`
}

const describeTextFault = (flag: FlagSpec, value: string): string | undefined => {
  if (flag.type !== 'string') return undefined
  const { name, file, folder, notEmpty, oneOf, noun, explain } = flag
  if (value === '' && (file || folder || notEmpty)) return `--${name} must not be empty`
  if (oneOf === undefined || oneOf.includes(value)) return undefined
  const words = oneOf.length === 2 ? oneOf.join(' or ') : `one of ${oneOf.join(', ')}`
  return noun === undefined
    ? `--${name} must be ${words}, got ${value}${explain?.(value) ?? ''}`
    : `invalid ${noun} "${value}": must be ${words.replace(/, (\S+)$/, ' or $1')}`
}

/** Describes the range of a flag if a value is outside of it, to follow the word `must`; `undefined` if it is inside. */
const describeMissedRange = (flag: FlagSpec, value: number | bigint): string | undefined => {
  if ('notNegative' in flag && value < 0) return 'not be negative'
  if (typeof value === 'bigint') {
    const isAccepted = !('limit' in flag) || (value > 0n && toMillis(value) <= maxTimerMs)
    return isAccepted ? undefined : 'be over 0 and below 24 days'
  }
  if (flag.type !== 'int' && flag.type !== 'float') return undefined
  return describeOpenRange(flag, Number(value)) ?? describeClosedRange(flag, Number(value))
}

/** Describes the range between `exclusiveMin` and `exclusiveMax`; `undefined` if the value is inside, or if there is none. */
const describeOpenRange = (
  { exclusiveMin: min, exclusiveMax: max }: FlagRange,
  value: number,
): string | undefined => {
  if (min === undefined || (value > min && (max === undefined || value < max))) return undefined
  return max === undefined ? `be over ${min}` : `be above ${min} and below ${max}`
}

/** Describes the range from `min` to `max`; `undefined` if the value is inside, or if there is none. */
const describeClosedRange = ({ min, max }: FlagRange, value: number): string | undefined => {
  if (min === undefined || (value >= min && (max === undefined || value <= max))) return undefined
  return max === undefined ? `be at least ${min}` : `be between ${min} and ${max}`
}
