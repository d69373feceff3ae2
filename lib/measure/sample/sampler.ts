import TinyQueue from 'tinyqueue'
import type { Random } from '../../runtime/random'

/** A row of a sample. */
export interface Sampled<A> {
  readonly item: A
  /** The row's position among all rows that were offered. */
  readonly place: number
  /** The chance of the row to be drawn; null if rows were left out and none was drawn by chance. */
  readonly chance: number | null
}

/** A row with two random numbers: one decides between rows that are equally uncertain, the other is its lot. */
interface Held<A> {
  readonly item: A
  readonly place: number
  readonly uncertainty: number
  readonly tie: number
  readonly lot: number
}

/**
 * Draws a sample while rows stream past: the `certainly` most uncertain ones, and of the remaining rows the
 * `byChance` ones with the smallest lots. It keeps only the rows that it returns. A row's numbers depend only on the
 * seed and its place, so a larger draw with the same seed contains the smaller one.
 */
export class Sampler<A> {
  /** The most uncertain rows. The least uncertain of them comes first and is replaced first. */
  private readonly certain = new TinyQueue<Held<A>>(
    [],
    (a, b) => a.uncertainty - b.uncertainty || a.tie - b.tie,
  )
  /** The remaining rows with the smallest lots. The largest lot comes first and is replaced first. */
  private readonly lucky = new TinyQueue<Held<A>>([], (a, b) => b.lot - a.lot)
  private offered = 0
  private others = 0

  constructor(
    private readonly certainly: number,
    private readonly byChance: number,
    private readonly random: Random,
  ) {}

  /**
   * Offers a row. `make` is called only if the row is kept for the time being. A row that is no candidate for the most
   * uncertain ones can only be drawn by chance.
   */
  offer(make: () => A, uncertainty: number, isCandidate: boolean): void {
    const place = this.offered++
    const numbers = { uncertainty, tie: this.random.unit(), lot: this.random.unit() }
    const hold = (): Held<A> => ({ item: make(), place, ...numbers })
    const least = this.certain.peek()
    if (!isCandidate) this.draw(numbers.lot, hold)
    else if (this.certain.length < this.certainly) this.certain.push(hold())
    else if (least !== undefined && isLess(least, numbers)) {
      this.certain.pop()
      this.certain.push(hold())
      this.draw(least.lot, () => least)
    } else this.draw(numbers.lot, hold)
  }

  /** Returns the sample in the order of the rows. */
  finish(): ReadonlyArray<Sampled<A>> {
    const isByChance = this.others === 0 || this.lucky.length > 0
    const certain = isByChance ? 1 : null
    const chance = this.lucky.length / this.others
    return [
      ...this.certain.data.map(({ item, place }) => ({ item, place, chance: certain })),
      ...this.lucky.data.map(({ item, place }) => ({ item, place, chance })),
    ].sort((a, b) => a.place - b.place)
  }

  private draw(lot: number, hold: () => Held<A>): void {
    this.others++
    if (this.lucky.length < this.byChance) {
      this.lucky.push(hold())
      return
    }
    const worst = this.lucky.peek()
    if (worst === undefined || worst.lot <= lot) return
    this.lucky.pop()
    this.lucky.push(hold())
  }
}

const isLess = (
  a: { readonly uncertainty: number; readonly tie: number },
  b: { readonly uncertainty: number; readonly tie: number },
): boolean => a.uncertainty < b.uncertainty || (a.uncertainty === b.uncertainty && a.tie < b.tie)
