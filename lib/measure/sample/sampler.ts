import TinyQueue from 'tinyqueue'
import type { Random } from '../../runtime/random'

/** A row of a sample. */
export interface SampledItem<A> {
  /** The row, as `createItem` returned it. */
  readonly item: A
  /** The row's position among all rows that were offered, from 0. */
  readonly position: number
  /** The chance with which the row was drawn; null if rows were left out and no row was drawn at random. */
  readonly chance: number | null
}

/** The numbers by which a row is selected. */
interface RowKeys {
  readonly uncertainty: number
  /** A random number. Of rows with equal uncertainty, the one with the largest tie breaker is selected first. */
  readonly tieBreaker: number
  /** Another random number. The rows with the smallest random keys are drawn at random. */
  readonly randomKey: number
}

/** A row that is in the sample so far. More uncertain rows, or ones with smaller random keys, can still replace it. */
interface Candidate<A> extends RowKeys {
  readonly item: A
  readonly position: number
}

interface SamplerOptions {
  /** The number of rows that are drawn because they are the most uncertain. */
  readonly uncertainCount: number
  /** The number of rows that are drawn at random from the remaining ones. */
  readonly randomCount: number
  readonly random: Random
}

/**
 * Draws a sample of a stream of rows. Stores only the rows of the current sample. The random numbers of a row depend only on the
 * seed and the row's position, so a larger draw with the same seed contains the smaller one.
 */
export class Sampler<A> {
  /** The most uncertain rows so far, the least uncertain of them first. */
  private readonly uncertainQueue = new TinyQueue<Candidate<A>>([], compareUncertainty)
  /** The remaining rows with the smallest random keys so far, the largest key first. */
  private readonly randomQueue = new TinyQueue<Candidate<A>>([], compareRandomKeys)
  private offeredCount = 0
  /** The number of rows so far that are not in `uncertainQueue`. */
  private remainingCount = 0

  constructor(private readonly options: SamplerOptions) {}

  /**
   * Offers a row. `createItem` is called only if the row is in the sample for now. If `mayBeUncertain` is false, the row can only
   * be drawn at random.
   */
  offer(createItem: () => A, uncertainty: number, mayBeUncertain: boolean): void {
    const { random, uncertainCount } = this.options
    const position = this.offeredCount
    this.offeredCount++
    const tieBreaker = random.nextFloat()
    const randomKey = random.nextFloat()
    const keys = { uncertainty, tieBreaker, randomKey }
    const createCandidate = (): Candidate<A> => ({ item: createItem(), position, ...keys })
    if (mayBeUncertain && this.uncertainQueue.length < uncertainCount) {
      this.uncertainQueue.push(createCandidate())
      return
    }
    const leastUncertain = mayBeUncertain ? this.uncertainQueue.peek() : undefined
    if (leastUncertain === undefined || compareUncertainty(leastUncertain, keys) >= 0) {
      this.offerAtRandom(randomKey, createCandidate)
      return
    }
    // The row takes the place of the least uncertain one, which can still be drawn at random.
    this.uncertainQueue.pop()
    this.uncertainQueue.push(createCandidate())
    this.offerAtRandom(leastUncertain.randomKey, () => leastUncertain)
  }

  /** Returns the sample in the order in which the rows were offered. */
  finish(): ReadonlyArray<SampledItem<A>> {
    const hasChances = this.remainingCount === 0 || this.randomQueue.length > 0
    const uncertainChance = hasChances ? 1 : null
    // Without remaining rows this is NaN, but then `randomQueue` is empty too.
    const randomChance = this.randomQueue.length / this.remainingCount
    const listItems = (queue: TinyQueue<Candidate<A>>, chance: number | null) =>
      queue.data.map(({ item, position }): SampledItem<A> => ({ item, position, chance }))
    return [
      ...listItems(this.uncertainQueue, uncertainChance),
      ...listItems(this.randomQueue, randomChance),
    ].sort((a, b) => a.position - b.position)
  }

  /** Adds a remaining row to `randomQueue` if there is space, or if its random key is smaller than the largest one there. */
  private offerAtRandom(randomKey: number, createCandidate: () => Candidate<A>): void {
    this.remainingCount++
    if (this.randomQueue.length < this.options.randomCount) {
      this.randomQueue.push(createCandidate())
      return
    }
    const largest = this.randomQueue.peek()
    if (largest === undefined || largest.randomKey <= randomKey) return
    this.randomQueue.pop()
    this.randomQueue.push(createCandidate())
  }
}

const compareUncertainty = (a: RowKeys, b: RowKeys): number =>
  a.uncertainty - b.uncertainty || a.tieBreaker - b.tieBreaker

/** The order of a queue that begins with the largest random key. */
const compareRandomKeys = (a: RowKeys, b: RowKeys): number => b.randomKey - a.randomKey
