/** The kinds of typed arrays that a column can be made of. */
type Kind = Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float64Array

/** The numbers in a part of a column. */
const partLength = 1 << 16

/**
 * A list of numbers that grows, outside the heap of V8, whose size is limited. It is held in parts, so that it grows
 * without being copied. A part in which every number is the usual one takes no memory.
 */
export class Column<A extends Kind> {
  private readonly parts: A[] = []
  private length = 0

  constructor(
    private readonly kind: new (length: number) => A,
    private readonly usual = 0,
  ) {}

  push(value: number): void {
    this.set(this.length++, value)
  }

  set(place: number, value: number): void {
    const at = Math.floor(place / partLength)
    let part = this.parts[at]
    if (part === undefined) {
      if (value === this.usual) return
      part = new this.kind(partLength)
      if (this.usual !== 0) part.fill(this.usual)
      this.parts[at] = part
    }
    part[place % partLength] = value
  }

  at(place: number): number {
    return this.parts[Math.floor(place / partLength)]?.[place % partLength] ?? this.usual
  }

  get size(): number {
    return this.length
  }

  /** Whether every number is the usual one. */
  get isUsual(): boolean {
    return this.parts.length === 0
  }

  /** All numbers in one array. */
  toArray(): A {
    const all = new this.kind(this.length)
    if (this.usual !== 0) all.fill(this.usual)
    this.parts.forEach((part, at) => {
      const from = at * partLength
      all.set(part.subarray(0, this.length - from), from)
    })
    return all
  }
}
