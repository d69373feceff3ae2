import { formatDuration, maxTimerMs, toMillis } from '../failure/text/duration'
import type { FlagRange, FlagSpec, Flags } from './flags'
import type { FlagValue } from './values'

/**
 * Describes the first value that its flag's declaration does not allow: a word that is none of the flag's, a number
 * outside its range, or an empty path. `undefined` where all are allowed.
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
  if (typeof value === 'string') return describeText(flag, value)
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined
  const range = describeRange(flag, value)
  const got = typeof value === 'bigint' ? formatDuration(value) : value
  return range === undefined ? undefined : `--${flag.name} must ${range}, got ${got}`
}

const describeText = (flag: FlagSpec, value: string): string | undefined => {
  if (flag.type !== 'string') return undefined
  const { name, file, folder, notEmpty, oneOf, noun, explain } = flag
  if (value === '' && (file || folder || notEmpty)) return `--${name} must not be empty`
  if (oneOf === undefined || oneOf.includes(value)) return undefined
  const words = oneOf.length === 2 ? oneOf.join(' or ') : `one of ${oneOf.join(', ')}`
  return noun === undefined
    ? `--${name} must be ${words}, got ${value}${explain?.(value) ?? ''}`
    : `invalid ${noun} "${value}": must be ${words.replace(/, (\S+)$/, ' or $1')}`
}

/** The range of a flag in words, where a value is outside of it. */
const describeRange = (flag: FlagSpec, value: number | bigint): string | undefined => {
  if ('notNegative' in flag && value < 0) return 'not be negative'
  if (typeof value === 'bigint') {
    const fits = !('limit' in flag) || (value > 0n && toMillis(value) <= maxTimerMs)
    return fits ? undefined : 'be over 0 and below 24 days'
  }
  if (flag.type !== 'int' && flag.type !== 'float') return undefined
  return describeOpenRange(flag, Number(value)) ?? describeClosedRange(flag, Number(value))
}

/** Says between which numbers a value must be, both excluded; `undefined` if it is, or if there is no such range. */
const describeOpenRange = (
  { exclusiveMin: min, exclusiveMax: max }: FlagRange,
  value: number,
): string | undefined => {
  if (min === undefined || (value > min && (max === undefined || value < max))) return undefined
  return max === undefined ? `be over ${min}` : `be above ${min} and below ${max}`
}

/** Says between which numbers a value must be, both included; `undefined` if it is, or if there is no such range. */
const describeClosedRange = ({ min, max }: FlagRange, value: number): string | undefined => {
  if (min === undefined || (value >= min && (max === undefined || value <= max))) return undefined
  return max === undefined ? `be at least ${min}` : `be between ${min} and ${max}`
}
