/**
 * A text reduced to the characters that it spells, in lower case, with their positions in the text. It is made
 * in one pass with a bounded lookahead, so time and memory grow linearly with any text.
 */
export interface View {
  /** The characters, as UTF-16 units. */
  readonly units: Uint16Array
  /** Where each character begins and ends in the text. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

const empty = (size: number): View => ({
  units: new Uint16Array(size),
  starts: new Uint32Array(size),
  ends: new Uint32Array(size),
})

/** Reads a text as it stands. */
export const asItStands = (text: string): View => {
  const size = text.length
  const view = empty(size)
  for (let at = 0; at < size; at++) {
    view.units[at] = folded(text.charCodeAt(at))
    view.starts[at] = at
    view.ends[at] = at + 1
  }
  return view
}

/** A character, and how many characters spell it. */
type Spelt = readonly [unit: number, size: number]

/**
 * Decodes one kind of escape in a text. `mark` begins every such escape, and `speltAt` decodes the one at a
 * place, if there is one.
 */
const undone = (
  { units, starts, ends }: View,
  mark: number,
  speltAt: (units: Uint16Array, at: number) => Spelt | undefined,
): View => {
  const read = empty(units.length)
  let count = 0
  let at = 0
  while (at < units.length) {
    const unit = units[at] ?? 0
    const [spelt, size] = (unit === mark ? speltAt(units, at) : undefined) ?? [unit, 1]
    read.units[count] = folded(spelt)
    read.starts[count] = starts[at] ?? 0
    at += size
    read.ends[count] = ends[at - 1] ?? 0
    count += 1
  }
  return {
    units: read.units.subarray(0, count),
    starts: read.starts.subarray(0, count),
    ends: read.ends.subarray(0, count),
  }
}

const backslash = 0x5c
const percent = 0x25

/**
 * The characters that stand for themselves after a backslash: quote, backslash, slash (RFC 8259, section 7).
 */
const escapable = new Set([0x22, backslash, 0x2f])

/** Decodes JSON's escapes, as far as they spell characters that a key can have. */
export const withoutJsonEscapes = (view: View): View =>
  undone(view, backslash, (units, at) => {
    const letter = units[at + 1] ?? 0
    if (escapable.has(letter)) return [letter, 2]
    const code = letter === 0x75 ? digits(units, at + 2, 4) : undefined
    return code === undefined ? undefined : [code, 6]
  })

/** Decodes percent-encoding: of UTF-8 sequences of up to two bytes, and of single bytes above ASCII. */
export const withoutPercentEncoding = (view: View): View =>
  undone(view, percent, (units, at) => {
    const first = digits(units, at + 1, 2)
    if (first === undefined) return undefined
    const second = units[at + 3] === percent ? digits(units, at + 4, 2) : undefined
    return first >= 0xc2 && first <= 0xdf && second !== undefined && second >> 6 === 0b10
      ? [((first & 0x1f) << 6) | (second & 0x3f), 6]
      : [first, 3]
  })

/** The number that `count` hexadecimal digits spell; `undefined` where there are other characters. */
const digits = (units: Uint16Array, from: number, count: number): number | undefined => {
  let value = 0
  for (let at = from; at < from + count; at++) {
    const unit = units[at] ?? 0
    if (unit >= 0x30 && unit <= 0x39) value = value * 16 + unit - 0x30
    else if (unit >= 0x61 && unit <= 0x66) value = value * 16 + unit - 0x57
    else return undefined
  }
  return value
}

/** A unit in lower case, if that is a single unit too. */
const folded = (unit: number): number => {
  if (unit < 0x80) return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit
  const lower = String.fromCharCode(unit).toLowerCase()
  return lower.length === 1 ? lower.charCodeAt(0) : unit
}
