/** Numbers texts from 0 on, in the order of their first appearance. */
export class Names {
  private readonly places = new Map<string, number>()

  placeOf(name: string): number {
    const known = this.places.get(name)
    if (known !== undefined) return known
    this.places.set(name, this.places.size)
    return this.places.size - 1
  }

  list(): ReadonlyArray<string> {
    return [...this.places.keys()]
  }

  get size(): number {
    return this.places.size
  }
}
