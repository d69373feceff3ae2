import type { Random } from '../statistics/random'

/** A row of a sample, and the chance with which it was drawn. */
export interface Sampled<A> {
  readonly item: A
  /** The row's position among all rows that were offered. */
  readonly place: number
  readonly chance: number
}

interface Rank {
  readonly place: number
  readonly uncertainty: number
}

interface Held<A> extends Rank {
  readonly item: A
}

/**
 * Draws a sample while rows stream past: the `certainly` most uncertain ones (the first of equal ones), and
 * `byChance` of the others, all with the same chance. It holds no more rows than it returns. The others are
 * drawn by reservoir sampling (Vitter 1985); a row joins them as soon as it is no longer among the most
 * uncertain. R25
 */
export class Sampler<A> {
  /** A heap with the least uncertain row at its top, which is the next to fall out. */
  private readonly heap: Array<Held<A>> = []
  private readonly reservoir: Array<Held<A>> = []
  private offered = 0
  private others = 0

  constructor(
    private readonly certainly: number,
    private readonly byChance: number,
    private readonly random: Random,
  ) {}

  /** Offers a row. `make` is called only if the row is kept for the time being. */
  offer(make: () => A, uncertainty: number): void {
    const place = this.offered++
    const held = (): Held<A> => ({ item: make(), place, uncertainty })
    const [least] = this.heap
    if (this.heap.length < this.certainly) this.push(held())
    else if (least !== undefined && isAbove({ place, uncertainty }, least)) {
      this.replaceLeast(held())
      this.draw(() => least)
    } else this.draw(held)
  }

  /** The sample in the order of the rows. */
  finish(): ReadonlyArray<Sampled<A>> {
    const chance = this.reservoir.length / this.others
    return [
      ...this.heap.map(({ item, place }) => ({ item, place, chance: 1 })),
      ...this.reservoir.map(({ item, place }) => ({ item, place, chance })),
    ].sort((a, b) => a.place - b.place)
  }

  private draw(held: () => Held<A>): void {
    this.others++
    if (this.reservoir.length < this.byChance) {
      this.reservoir.push(held())
      return
    }
    const at = this.random.below(this.others)
    if (at < this.byChance) this.reservoir[at] = held()
  }

  private push(held: Held<A>): void {
    const { heap } = this
    let at = heap.push(held) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isAbove(heap[parent] as Held<A>, held)) break
      heap[at] = heap[parent] as Held<A>
      at = parent
    }
    heap[at] = held
  }

  private replaceLeast(held: Held<A>): void {
    const { heap } = this
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      const [one, two] = [heap[left], heap[right]]
      if (one === undefined) break
      const [child, from] = two !== undefined && isAbove(one, two) ? [two, right] : [one, left]
      if (!isAbove(held, child)) break
      heap[at] = child
      at = from
    }
    heap[at] = held
  }
}

/** Whether `a` is more uncertain than `b`, or equally uncertain and earlier. */
const isAbove = (a: Rank, b: Rank): boolean =>
  a.uncertainty > b.uncertainty || (a.uncertainty === b.uncertainty && a.place < b.place)
