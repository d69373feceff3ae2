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

const createView = (size: number): View => ({
  units: new Uint16Array(size),
  starts: new Uint32Array(size),
  ends: new Uint32Array(size),
})

/** Reads a text as it stands. */
const readAsItStands = (text: string): View => {
  const size = text.length
  const view = createView(size)
  for (let at = 0; at < size; at++) {
    view.units[at] = foldCase(text.charCodeAt(at))
    view.starts[at] = at
    view.ends[at] = at + 1
  }
  return view
}

/** A character, and how many characters spell it. */
type Escape = readonly [unit: number, size: number]

/** Reads the escape that begins at a place; `undefined` where none does. */
type ReadEscape = (units: Uint16Array, at: number) => Escape | undefined

/** Undoes escapes of one kind. `mark` is the character that each of them begins with. */
const undoEscapes =
  (mark: number, readEscape: ReadEscape) =>
  ({ units, starts, ends }: View): View => {
    const read = createView(units.length)
    let count = 0
    let at = 0
    while (at < units.length) {
      const unit = units[at] ?? 0
      const [spelt, size] = (unit === mark ? readEscape(units, at) : undefined) ?? [unit, 1]
      read.units[count] = foldCase(spelt)
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

/** The characters that stand for themselves after a backslash: quote, backslash, slash (RFC 8259, section 7). */
const escapable = new Set([0x22, backslash, 0x2f])

/** Undoes JSON's escapes, as far as they spell characters that a key can have. */
const undoJsonEscapes = undoEscapes(backslash, (units, at) => {
  const letter = units[at + 1] ?? 0
  if (escapable.has(letter)) return [letter, 2]
  const code = letter === 0x75 ? readDigits(units, at + 2, 4) : undefined
  return code === undefined ? undefined : [code, 6]
})

/** Undoes percent-encoding: of UTF-8 sequences of up to two bytes, and of single bytes above ASCII. */
const undoPercentEncoding = undoEscapes(percent, (units, at) => {
  const first = readDigits(units, at + 1, 2)
  if (first === undefined) return undefined
  const second = units[at + 3] === percent ? readDigits(units, at + 4, 2) : undefined
  return first >= 0xc2 && first <= 0xdf && second !== undefined && second >> 6 === 0b10
    ? [((first & 0x1f) << 6) | (second & 0x3f), 6]
    : [first, 3]
})

/**
 * Reads a text as it stands, then with JSON's escapes and percent-encoding undone in turn, twice each. One of
 * these readings undoes whatever programs put around a text: up to two layers, of the same kind or of both, in
 * either order. A text without escapes has one reading only.
 */
export const readSpellings = (text: string): ReadonlyArray<View> => {
  const views = [readAsItStands(text)]
  if (!/[\\%]/.test(text)) return views
  for (const undo of [undoJsonEscapes, undoPercentEncoding, undoJsonEscapes, undoPercentEncoding])
    views.push(undo(views.at(-1) as View))
  return views
}

/** The number that `count` hexadecimal digits spell; `undefined` where there are other characters. */
const readDigits = (units: Uint16Array, from: number, count: number): number | undefined => {
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
const foldCase = (unit: number): number => {
  if (unit < 0x80) return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit
  const lower = String.fromCharCode(unit).toLowerCase()
  return lower.length === 1 ? lower.charCodeAt(0) : unit
}
