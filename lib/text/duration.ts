/** A length of time as in Go: a signed 64-bit number of nanoseconds. */
export type Duration = bigint

const nsPerSecond = 1_000_000_000n
const nsPerMinute = 60n * nsPerSecond

/** The nanoseconds of each unit. `µs` is written with a micro sign or with the Greek letter mu. */
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5
  μs: 1_000n, // U+03BC
  ms: 1_000_000n,
  s: nsPerSecond,
  m: nsPerMinute,
  h: 3_600_000_000_000n,
}

/** The largest absolute value of a signed 64-bit number. Only a negative number can have it. */
const maxMagnitude = 2n ** 63n

/** A parsed duration, or the reason why the text is not a valid duration. */
type ParsedDuration =
  | { readonly duration: Duration }
  | { readonly duration?: undefined; readonly reason: string }

const notADuration = { reason: 'not a duration, such as 10s, 1m30s or 100ms' }
const outOfRange = { reason: 'out of range' }

/** Parses a duration such as `1h2m3.5s`, `100ms`, `-2m` or `0`. Every number except `0` needs a unit. */
export const parseDuration = (text: string): ParsedDuration => {
  const isNegative = text.startsWith('-')
  let remaining = text.replace(/^[+-]/, '')
  if (remaining === '0') return { duration: 0n }
  if (remaining === '') return notADuration
  let total = 0n
  while (remaining !== '') {
    const quantity = parseQuantity(remaining)
    if ('reason' in quantity) return quantity
    total += quantity.ns
    if (total > maxMagnitude) return outOfRange
    remaining = remaining.slice(quantity.length)
  }
  if (total === maxMagnitude && !isNegative) return outOfRange
  return { duration: isNegative ? -total : total }
}

/** Parses the first number with its unit, such as `1.5h` in `1.5h2m`. `length` is the number of characters that they take. */
const parseQuantity = (
  text: string,
): { readonly ns: bigint; readonly length: number } | { readonly reason: string } => {
  const [numberText = '', whole = '', fraction = ''] = /^(\d*)(?:\.(\d*))?/.exec(text) ?? []
  if (whole === '' && fraction === '') return notADuration
  const unitName = /^[^\d.]*/.exec(text.slice(numberText.length))?.[0] ?? ''
  if (unitName === '') return { reason: 'missing unit, as in 10s or 1m30s' }
  const unit = Object.hasOwn(units, unitName) ? units[unitName] : undefined
  if (unit === undefined)
    return { reason: `unknown unit "${unitName}", must be h, m, s, ms, us or ns` }
  const ns = BigInt(whole) * unit + convertFraction(fraction, unit)
  return { ns, length: numberText.length + unitName.length }
}

/**
 * Converts the digits of a decimal fraction of a unit to nanoseconds: `5` of an hour is half an hour. Computes in floating point as Go
 * does: ignores digits beyond 63 bits, and rounds down to whole nanoseconds.
 */
const convertFraction = (digits: string, unit: bigint): bigint => {
  let value = 0n
  let scale = 1
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit)
    if (next > maxMagnitude) break
    value = next
    scale *= 10
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)))
}

/** Formats a duration as Go does: `2m0s`, `1.5s`, `100ms`, `-1s`, `0s`. */
export const formatDuration = (duration: Duration): string => {
  const sign = duration < 0n ? '-' : ''
  const ns = duration < 0n ? -duration : duration
  if (ns === 0n) return '0s'
  if (ns < 1_000n) return `${sign}${ns}ns`
  if (ns < 1_000_000n) return `${sign}${formatDecimal(ns, 1_000n)}µs`
  if (ns < 1_000_000_000n) return `${sign}${formatDecimal(ns, 1_000_000n)}ms`
  const minutes = ns / nsPerMinute
  const seconds = `${formatDecimal(ns % nsPerMinute, nsPerSecond)}s`
  if (minutes === 0n) return sign + seconds
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

/** Formats `value / unit` as a decimal number without final zeros: `1.5`. `unit` is a power of ten. */
const formatDecimal = (value: bigint, unit: bigint): string => {
  const digitCount = String(unit).length - 1
  const fraction = String(value % unit)
    .padStart(digitCount, '0')
    .replace(/0+$/, '')
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`
}

/** Converts a duration to milliseconds, which may have a fraction. */
export const toMillis = (duration: Duration): number => Number(duration) / 1e6

/** The maximum delay of a Node timer: 24.8 days. Node runs a timer with a longer delay at once. */
export const maxTimerMs = 2 ** 31 - 1
