/** How much is kept. */
export interface RecentLimits {
  readonly entries: number
  /** Characters of all keys together. */
  readonly characters: number
  /** Longer keys are not kept. */
  readonly longest: number
}

/**
 * Remembers what was used lately by its text. Two generations: once the younger one holds half of
 * what is allowed, the older one goes, but for what has been used since.
 */
export class Recent<V> {
  #young = new Map<string, V>()
  #old = new Map<string, V>()
  #characters = 0

  constructor(private readonly limits: RecentLimits) {}

  get(key: string): V | undefined {
    const found = this.#young.get(key)
    if (found !== undefined) return found
    const older = this.#old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: V): void {
    const { entries, characters, longest } = this.limits
    if (key.length > longest) return
    const full = this.#young.size >= entries / 2 || this.#characters + key.length > characters / 2
    if (full) {
      this.#old = this.#young
      this.#young = new Map()
      this.#characters = 0
    }
    if (!this.#young.has(key)) this.#characters += key.length
    this.#young.set(key, value)
  }

  /** Entries of both generations. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** Characters of their keys. */
  get characters(): number {
    const lengthOf = (map: ReadonlyMap<string, V>): number =>
      [...map.keys()].reduce((sum, key) => sum + key.length, 0)
    return lengthOf(this.#young) + lengthOf(this.#old)
  }
}
