import TinyQueue from 'tinyqueue'
import type { Random } from '../statistics/random'

/** A row of a sample, and the chance with which it was drawn. */
export interface Sampled<A> {
  readonly item: A
  /** The row's position among all rows that were offered. */
  readonly place: number
  readonly chance: number
}

interface Held<A> {
  readonly item: A
  readonly place: number
  readonly uncertainty: number
}

/**
 * Draws a sample while rows stream past: the `certainly` most uncertain ones (the first of equal ones), and
 * `byChance` of the others, all with the same chance. It holds no more rows than it returns. The others are
 * drawn by reservoir sampling (Vitter 1985); a row joins them as soon as it is no longer among the most
 * uncertain. R25
 */
export class Sampler<A> {
  /** The most uncertain rows. First comes the least uncertain of them, the last of equal ones: it falls out next. */
  private readonly queue = new TinyQueue<Held<A>>(
    [],
    (a, b) => a.uncertainty - b.uncertainty || b.place - a.place,
  )
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
    const least = this.queue.peek()
    if (this.queue.length < this.certainly) this.queue.push(held())
    else if (least !== undefined && uncertainty > least.uncertainty) {
      this.queue.pop()
      this.queue.push(held())
      this.draw(() => least)
    } else this.draw(held)
  }

  /** The sample in the order of the rows. */
  finish(): ReadonlyArray<Sampled<A>> {
    const chance = this.reservoir.length / this.others
    return [
      ...this.queue.data.map(({ item, place }) => ({ item, place, chance: 1 })),
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
}
