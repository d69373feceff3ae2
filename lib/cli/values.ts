import type { Runtime } from '../runtime/runtime'
import {
  type Duration,
  formatDuration,
  maxTimerMs,
  parseDuration,
  toMillis,
} from '../text/duration'
import type { ExclusiveRange, FlagSpec, Flags, InclusiveRange, Values } from './flags'

/** The value of any flag. */
export type FlagValue = string | number | boolean | Duration | ReadonlyArray<string> | undefined

/** The value of a flag, or the reason why its text is invalid. */
type ParsedValue = { readonly value: FlagValue } | { readonly reason: string }

/** Parses the value of a flag according to the flag's type. Strings are not changed. */
export const parseValue = (flag: FlagSpec, text: string): ParsedValue => {
  switch (flag.type) {
    case 'string':
    case 'strings':
      return { value: text }
    case 'bool':
      return parseBool(text)
    case 'int':
      return parseInteger(text)
    case 'float':
      return parseDecimal(text)
    case 'duration': {
      const parsed = parseDuration(text)
      return parsed.duration === undefined ? parsed : { value: parsed.duration }
    }
  }
}

/** The spellings of `true` and `false` that Go's `strconv.ParseBool` accepts. */
const trueWords = ['true', 'True', 'TRUE', 't', 'T', '1']
const falseWords = ['false', 'False', 'FALSE', 'f', 'F', '0']

const parseBool = (text: string): ParsedValue => {
  if (trueWords.includes(text)) return { value: true }
  if (falseWords.includes(text)) return { value: false }
  return { reason: 'must be true or false' }
}

const parseInteger = (text: string): ParsedValue => {
  if (!/^[+-]?\d+$/.test(text)) return { reason: 'must be a whole number' }
  const value = Number(text)
  return Number.isSafeInteger(value)
    ? { value: withoutNegativeZero(value) }
    : { reason: 'out of range' }
}

const parseDecimal = (text: string): ParsedValue => {
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return { reason: 'must be a number' }
  const value = Number(text)
  return Number.isFinite(value) ? { value: withoutNegativeZero(value) } : { reason: 'out of range' }
}

/** Turns -0 into 0: messages and documents must not show a sign that has no meaning. */
const withoutNegativeZero = (value: number): number => (value === 0 ? 0 : value)

/** Returns the values of all declared flags by name: the passed value, else the environment variable, else the default. */
export const resolveFlagValues = <const AllFlags extends Flags>(
  flags: AllFlags,
  passed: ReadonlyMap<string, FlagValue>,
  env: Runtime['env'],
): Values<AllFlags> =>
  // TypeScript cannot derive that each value has the type of its flag.
  Object.fromEntries(
    flags.map((flag) => [flag.name, chooseValue(flag, passed, env)]),
  ) as Values<AllFlags>

const chooseValue = (
  flag: FlagSpec,
  passed: ReadonlyMap<string, FlagValue>,
  env: Runtime['env'],
): FlagValue => {
  const value = passed.get(flag.name)
  // An empty value counts as unset if the flag has a variable.
  if (flag.type === 'string' && flag.env !== undefined)
    return value || env[flag.env] || flag.default
  return passed.has(flag.name) ? value : parseDefault(flag)
}

/** Returns the value of a flag that was not passed. */
const parseDefault = (flag: FlagSpec): FlagValue => {
  switch (flag.type) {
    case 'bool':
      return false
    case 'strings':
      return []
    case 'duration':
      return flag.default === undefined ? undefined : parseDuration(flag.default).duration
    case 'string':
    case 'int':
    case 'float':
      return flag.default
  }
}

/**
 * Describes the first value that its flag does not accept: a word that is not in the flag's list, a number or duration
 * outside the flag's range, or an empty text for a flag that needs one. Returns `undefined` if every value is accepted.
 */
export const describeValueFault = (
  flags: Flags,
  values: Readonly<Record<string, FlagValue>>,
): string | undefined => {
  for (const flag of flags) {
    const fault = describeFlagFault(flag, values[flag.name])
    if (fault !== undefined) return fault
  }
  return undefined
}

const describeFlagFault = (flag: FlagSpec, value: FlagValue): string | undefined => {
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
