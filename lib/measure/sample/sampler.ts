import TinyQueue from 'tinyqueue'
import type { Random } from '../statistics/random'

/** A row of a sample. */
export interface Sampled<A> {
  readonly item: A
  /** The row's position among all rows that were offered. */
  readonly place: number
  /** The chance with which it was drawn; null where rows were left out and none was drawn by chance. */
  readonly chance: number | null
}

interface Held<A> {
  readonly item: A
  readonly place: number
  readonly uncertainty: number
  /** A random number that decides between rows that are equally uncertain. */
  readonly tie: number
}

/**
 * Draws a sample while rows stream past: the `certainly` most uncertain ones, and `byChance` of the others, all with the
 * same chance. It holds no more rows than it returns. The others are drawn by reservoir sampling (Vitter 1985); a row
 * joins them as soon as it is no longer among the most uncertain. R25
 */
export class Sampler<A> {
  /** The most uncertain rows. First comes the least uncertain of them, which falls out next. */
  private readonly queue = new TinyQueue<Held<A>>(
    [],
    (a, b) => a.uncertainty - b.uncertainty || a.tie - b.tie,
  )
  private readonly reservoir: Array<Held<A>> = []
  private offered = 0
  private others = 0

  constructor(
    private readonly certainly: number,
    private readonly byChance: number,
    private readonly random: Random,
  ) {}

  /**
   * Offers a row. `make` is called only if the row is kept for the time being. A row that is no candidate for the most
   * uncertain ones is drawn by chance alone.
   */
  offer(make: () => A, uncertainty: number, isCandidate: boolean): void {
    const place = this.offered++
    const tie = this.random.unit()
    const hold = (): Held<A> => ({ item: make(), place, uncertainty, tie })
    const least = this.queue.peek()
    if (!isCandidate) this.draw(hold)
    else if (this.queue.length < this.certainly) this.queue.push(hold())
    else if (least !== undefined && isLess(least, { uncertainty, tie })) {
      this.queue.pop()
      this.queue.push(hold())
      this.draw(() => least)
    } else this.draw(hold)
  }

  /** Returns the sample in the order of the rows. */
  finish(): ReadonlyArray<Sampled<A>> {
    const isByChance = this.others === 0 || this.reservoir.length > 0
    const certain = isByChance ? 1 : null
    const chance = this.reservoir.length / this.others
    return [
      ...this.queue.data.map(({ item, place }) => ({ item, place, chance: certain })),
      ...this.reservoir.map(({ item, place }) => ({ item, place, chance })),
    ].sort((a, b) => a.place - b.place)
  }

  private draw(hold: () => Held<A>): void {
    this.others++
    if (this.reservoir.length < this.byChance) {
      this.reservoir.push(hold())
      return
    }
    const at = this.random.below(this.others)
    if (at < this.byChance) this.reservoir[at] = hold()
  }
}

const isLess = (
  a: { readonly uncertainty: number; readonly tie: number },
  b: { readonly uncertainty: number; readonly tie: number },
): boolean => a.uncertainty < b.uncertainty || (a.uncertainty === b.uncertainty && a.tie < b.tie)
