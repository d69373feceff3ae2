import { randomFillSync } from 'node:crypto'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeLength = 10
const randomLength = 16

/** Makes request ids from a clock in milliseconds since the epoch. */
export type NewRequestId = () => string

/**
 * `req_` and 26 letters of Crockford's base 32: 10 of time, 16 of chance, as in a ULID. Ids sort by
 * time; within a millisecond the chance part counts up, so that they sort by order as well. D37
 */
export const requestIds = (now: () => number): NewRequestId => {
  const digits = new Uint8Array(randomLength)
  let last = -1
  let prefix = ''
  return () => {
    const time = Math.max(Math.floor(now()), last)
    if (time === last) increment(digits)
    else {
      last = time
      prefix = `req_${timeText(time)}`
      randomize(digits)
    }
    let text = prefix
    for (let i = 0; i < randomLength; i++) text += alphabet[digits[i] ?? 0]
    return text
  }
}

/** Random bytes are cheaper by the thousand. */
const pool = new Uint8Array(4096)
let used = pool.length

const randomize = (digits: Uint8Array): void => {
  if (used + digits.length > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  for (let i = 0; i < digits.length; i++) digits[i] = (pool[used++] ?? 0) & 31
}

const timeText = (ms: number): string => {
  let rest = ms
  let text = ''
  for (let i = 0; i < timeLength; i++) {
    text = (alphabet[rest % 32] ?? '0') + text
    rest = Math.floor(rest / 32)
  }
  return text
}

const increment = (digits: Uint8Array): void => {
  for (let i = digits.length - 1; i >= 0; i--) {
    const next = ((digits[i] ?? 0) + 1) & 31
    digits[i] = next
    if (next !== 0) return
  }
}
