/**
 * A growing list of numbers that takes eight bytes for each. Unlike an array's they lie outside the heap of V8, whose
 * size is limited, so that a run of millions of answers can be held.
 */
export class GrowingNumbers {
  private values = new Float64Array(64)
  private length = 0

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(this.length * 2)
      larger.set(this.values)
      this.values = larger
    }
    this.values[this.length++] = value
  }

  get size(): number {
    return this.length
  }

  at(place: number): number {
    return this.values[place] as number
  }
}
