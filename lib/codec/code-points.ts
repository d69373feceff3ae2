/**
 * Compares texts by code point, which is the order of their UTF-8 bytes. JavaScript's own comparison differs,
 * since it compares UTF-16 units. Faults are reported in this order in every locale. D14
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

/** Surrogates encode code points above those of all other UTF-16 units, so they sort last. */
const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)
