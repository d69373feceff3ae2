/**
 * Orders texts by code point, as UTF-8 bytes order and JavaScript's own comparison does not: it compares
 * UTF-16 units. Faults are reported in this order whatever the locale. D14
 */
export const byCodePoint = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Surrogates stand for code points above every other UTF-16 unit. */
const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)
