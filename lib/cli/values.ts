import { type Duration, parseDuration } from '../failure/text/duration'
import type { Runtime } from '../runtime/runtime'
import type { FlagSpec, Flags, Values } from './flags'

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
