import { type Duration, parseDuration } from '../failure/text/duration'
import type { Runtime } from '../runtime/runtime'
import type { FlagSpec, Flags, Values } from './flags'

/** The value of any flag. */
export type FlagValue = string | number | boolean | Duration | ReadonlyArray<string> | undefined

/** The value of a flag, or why its text is not one. */
type ParsedValue = { readonly value: FlagValue } | { readonly why: string }

/** Parses the text of a flag's value according to the flag's type. Strings are not changed. */
export const parseValue = (flag: FlagSpec, text: string): ParsedValue => {
  switch (flag.type) {
    case 'string':
    case 'strings':
      return { value: text }
    case 'bool': {
      const value = parseBool(text)
      return value === undefined ? { why: 'must be true or false' } : { value }
    }
    case 'int':
      return parseInteger(text)
    case 'float':
      return parseFloating(text)
    case 'duration': {
      const parsed = parseDuration(text)
      return parsed.duration === undefined ? parsed : { value: parsed.duration }
    }
  }
}

const words: Readonly<Record<string, boolean>> = {
  ...{ true: true, True: true, TRUE: true, t: true, T: true, '1': true },
  ...{ false: false, False: false, FALSE: false, f: false, F: false, '0': false },
}

/** Parses `true`, `false` and Go's other spellings of them; `undefined` for any other text. */
export const parseBool = (text: string): boolean | undefined =>
  Object.hasOwn(words, text) ? words[text] : undefined

const parseInteger = (text: string): ParsedValue => {
  if (!/^[+-]?\d+$/.test(text)) return { why: 'must be a whole number' }
  const value = Number(text)
  return Number.isSafeInteger(value) ? { value: value + 0 } : { why: 'out of range' }
}

const parseFloating = (text: string): ParsedValue => {
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return { why: 'must be a number' }
  const value = Number(text)
  return Number.isFinite(value) ? { value: value + 0 } : { why: 'out of range' }
}

/**
 * The values of all declared flags by name: what was passed, else the environment variable, else the default.
 */
export const valuesOf = <const F extends Flags>(
  flags: F,
  passed: ReadonlyMap<string, FlagValue>,
  env: Runtime['env'],
): Values<F> =>
  // TypeScript cannot tell that each value has the type of its flag.
  Object.fromEntries(flags.map((flag) => [flag.name, chooseValue(flag, passed, env)])) as Values<F>

const chooseValue = (
  flag: FlagSpec,
  passed: ReadonlyMap<string, FlagValue>,
  env: Runtime['env'],
): FlagValue => {
  const value = passed.get(flag.name)
  // An empty text counts as unset where a flag has a variable.
  if (flag.type === 'string' && flag.env !== undefined)
    return value || env[flag.env] || flag.default
  return passed.has(flag.name) ? value : defaultOf(flag)
}

/** The value of a flag that was not passed. */
const defaultOf = (flag: FlagSpec): FlagValue => {
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
