import { type Duration, formatDuration, maxTimerMs, toMillis } from '../failure/text/duration'
import type { ExclusiveRange, FlagSpec, Flags, InclusiveRange } from './flags'
import type { FlagValue } from './values'

/**
 * Describes the first value that its flag does not accept: a word that is not in the flag's list, a number or duration
 * outside the flag's range, or an empty text for a flag that needs one. Returns `undefined` if every value is accepted.
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
  const { name, oneOf, noun, describeUnknownWord } = flag
  const mustNotBeEmpty = flag.isFile || flag.isFolder || flag.isNonEmpty
  if (value === '' && mustNotBeEmpty) return `--${name} must not be empty`
  if (oneOf === undefined || oneOf.includes(value)) return undefined
  const words = oneOf.length === 2 ? oneOf.join(' or ') : `one of ${oneOf.join(', ')}`
  // `one of a, b, c` becomes `one of a, b or c`.
  if (noun !== undefined)
    return `invalid ${noun} "${value}": must be ${words.replace(/, (\S+)$/, ' or $1')}`
  const advice = describeUnknownWord?.(value) ?? ''
  return `--${name} must be ${words}, got ${value}${advice}`
}

/**
 * Describes the range of a flag if a value is outside of it, as the words after `must`. Returns `undefined` if the value is
 * inside.
 */
const describeMissedRange = (flag: FlagSpec, value: number | Duration): string | undefined => {
  if ('isNonNegative' in flag && value < 0) return 'not be negative'
  if (typeof value === 'bigint') return describeTimerRange(flag, value)
  if ('exclusiveMin' in flag) return describeExclusiveRange(flag, value)
  if ('min' in flag) return describeInclusiveRange(flag, value)
  return undefined
}

const describeTimerRange = (flag: FlagSpec, duration: Duration): string | undefined => {
  if (!('isTimerDuration' in flag)) return undefined
  const isInside = duration > 0n && toMillis(duration) <= maxTimerMs
  return isInside ? undefined : 'be over 0 and below 24 days'
}

const describeExclusiveRange = (
  { exclusiveMin: min, exclusiveMax: max }: ExclusiveRange,
  value: number,
): string | undefined => {
  if (value > min && (max === undefined || value < max)) return undefined
  return max === undefined ? `be over ${min}` : `be above ${min} and below ${max}`
}

const describeInclusiveRange = (
  { min, max }: InclusiveRange,
  value: number,
): string | undefined => {
  if (value >= min && (max === undefined || value <= max)) return undefined
  return max === undefined ? `be at least ${min}` : `be between ${min} and ${max}`
}
