/** The kinds of typed arrays that a column can be made of. */
type Kind = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array

/** From this many numbers on a column grows by an eighth instead of doubling, so that little of it stays unused. */
const slowFrom = 1 << 16

/**
 * A list of numbers that grows. It takes as many bytes for a number as its kind of array does, outside the heap of
 * V8, whose size is limited, so that a run of millions of answers can be held.
 */
export class Column<A extends Kind> {
  private values: A
  private length = 0

  constructor(private readonly kind: new (length: number) => A) {
    this.values = new kind(64)
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new this.kind(Math.ceil(this.length * (this.length < slowFrom ? 2 : 1.125)))
      larger.set(this.values)
      this.values = larger
    }
    this.values[this.length++] = value
  }

  at(place: number): number {
    return this.values[place] as number
  }

  set(place: number, value: number): void {
    this.values[place] = value
  }

  get size(): number {
    return this.length
  }

  /** The numbers so far, as a view that later ones do not change. */
  view(): A {
    return this.values.subarray(0, this.length) as A
  }
}

/** A column that takes no memory as long as every number in it is the usual one. */
export class UsualColumn<A extends Kind> {
  private column: Column<A> | undefined
  private length = 0

  constructor(
    private readonly kind: new (length: number) => A,
    private readonly usual: number,
  ) {}

  push(value: number): void {
    if (this.column === undefined && value !== this.usual) {
      this.column = new Column(this.kind)
      for (let i = 0; i < this.length; i++) this.column.push(this.usual)
    }
    this.column?.push(value)
    this.length++
  }

  /** The numbers so far; `undefined` where all are the usual one. */
  view(): A | undefined {
    return this.column?.view()
  }
}
