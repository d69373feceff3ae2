/** A length of time as in Go: a signed 64-bit number of nanoseconds. D20 */
export type Duration = bigint

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5
  μs: 1_000n, // U+03BC
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

const most = 2n ** 63n

/** A duration read from a text, or why the text is not one. */
type ParsedDuration =
  | { readonly duration: Duration }
  | { readonly duration?: undefined; readonly why: string }

/** Reads a duration such as `1h2m3.5s`, `100ms`, `-2m` or `0`. A number without a unit is refused. D20 */
export const parseDuration = (text: string): ParsedDuration => {
  const negative = text.startsWith('-')
  let rest = text.replace(/^[+-]/, '')
  if (rest === '0') return { duration: 0n }
  if (rest === '') return notOne
  let total = 0n
  while (rest !== '') {
    const number = /^(\d*)(?:\.(\d*))?/.exec(rest)
    const whole = number?.[1] ?? ''
    const fraction = number?.[2] ?? ''
    if (whole === '' && fraction === '') return notOne
    rest = rest.slice(number?.[0].length)
    const name = /^[^\d.]*/.exec(rest)?.[0] ?? ''
    if (name === '') return { why: 'missing unit, as in 10s or 1m30s' }
    const unit = Object.hasOwn(units, name) ? units[name] : undefined
    if (unit === undefined) return { why: `unknown unit "${name}", must be h, m, s, ms, us or ns` }
    rest = rest.slice(name.length)
    total += BigInt(whole) * unit + readFraction(fraction, unit)
    if (total > most) return outOfRange
  }
  if (total === most && !negative) return outOfRange
  return { duration: negative ? -total : total }
}

const notOne = { why: 'not a duration, such as 10s, 1m30s or 100ms' }
const outOfRange = { why: 'out of range' }

/**
 * The nanoseconds of a decimal fraction of a unit. Computed in floating point like in Go: digits beyond 63 bits
 * are dropped, and the result is cut to whole nanoseconds.
 */
const readFraction = (digits: string, unit: bigint): bigint => {
  let held = 0n
  let scale = 1
  for (const digit of digits) {
    const next = held * 10n + BigInt(digit)
    if (held > (most - 1n) / 10n || next > most) break
    held = next
    scale *= 10
  }
  return BigInt(Math.trunc(Number(held) * (Number(unit) / scale)))
}

/** Writes a duration as Go does: `2m0s`, `1.5s`, `100ms`, `-1s`, `0s`. D20 */
export const formatDuration = (duration: Duration): string => {
  const sign = duration < 0n ? '-' : ''
  const ns = duration < 0n ? -duration : duration
  if (ns === 0n) return '0s'
  if (ns < 1_000n) return `${sign}${ns}ns`
  if (ns < 1_000_000n) return `${sign}${formatDecimal(ns, 1_000n)}µs`
  if (ns < 1_000_000_000n) return `${sign}${formatDecimal(ns, 1_000_000n)}ms`
  const second = 1_000_000_000n
  const minutes = ns / (60n * second)
  const seconds = `${formatDecimal(ns % (60n * second), second)}s`
  if (minutes === 0n) return sign + seconds
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

const formatDecimal = (value: bigint, unit: bigint): string => {
  const digits = String(unit).length - 1
  const fraction = String(value % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '')
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`
}

/** Converts a duration to milliseconds, which may have a fraction. */
export const toMillis = (duration: Duration): number => Number(duration) / 1e6

/** The longest delay of a Node timer, in milliseconds: 24.8 days. */
export const longestTimer = 2 ** 31 - 1
