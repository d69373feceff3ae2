import TinyQueue from 'tinyqueue'
import type { Random } from '../../runtime/random'

/** A row of a sample. */
export interface SampledItem<A> {
  readonly item: A
  /** The row's position among all rows that were offered. */
  readonly position: number
  /** The chance with which the row was drawn; null if rows were left out and no row was drawn at random. */
  readonly chance: number | null
}

/** The numbers by which the sampler selects a row. */
interface RowKeys {
  readonly uncertainty: number
  /** A random number that decides between rows of equal uncertainty. The larger one is selected first. */
  readonly tieBreaker: number
  /** A random number that decides which rows are drawn at random. The smallest ones are. */
  readonly randomKey: number
}

interface Candidate<A> extends RowKeys {
  readonly item: A
  readonly position: number
}

/**
 * Draws a sample of a stream of rows: the `certainRows` most uncertain ones, and `randomRows` of the remaining ones at random.
 * Stores only the rows of the current sample. The random numbers of a row depend only on the seed and the row's position, so a
 * larger draw with the same seed contains the smaller one.
 */
export class Sampler<A> {
  /** The most uncertain rows so far, the least uncertain of them first. */
  private readonly certain = new TinyQueue<Candidate<A>>([], compareUncertainty)
  /** The remaining rows with the smallest random keys so far, the largest key first. */
  private readonly random = new TinyQueue<Candidate<A>>([], (a, b) => b.randomKey - a.randomKey)
  private offeredRows = 0
  private remainingRows = 0

  constructor(
    private readonly certainRows: number,
    private readonly randomRows: number,
    private readonly generator: Random,
  ) {}

  /**
   * Offers a row. `createItem` is called only if the row is in the sample for now. If `mayBeCertain` is false, the row can only
   * be drawn at random.
   */
  offer(createItem: () => A, uncertainty: number, mayBeCertain: boolean): void {
    const position = this.offeredRows
    this.offeredRows++
    const tieBreaker = this.generator.nextFloat()
    const randomKey = this.generator.nextFloat()
    const keys = { uncertainty, tieBreaker, randomKey }
    const createCandidate = (): Candidate<A> => ({ item: createItem(), position, ...keys })
    const leastUncertain = this.certain.peek()
    if (!mayBeCertain) {
      this.drawAtRandom(randomKey, createCandidate)
    } else if (this.certain.length < this.certainRows) {
      this.certain.push(createCandidate())
    } else if (leastUncertain !== undefined && compareUncertainty(leastUncertain, keys) < 0) {
      this.certain.pop()
      this.certain.push(createCandidate())
      this.drawAtRandom(leastUncertain.randomKey, () => leastUncertain)
    } else {
      this.drawAtRandom(randomKey, createCandidate)
    }
  }

  /** Returns the sample in the order in which the rows were offered. */
  finish(): ReadonlyArray<SampledItem<A>> {
    const hasChances = this.remainingRows === 0 || this.random.length > 0
    const certainChance = hasChances ? 1 : null
    const randomChance = this.random.length / this.remainingRows
    const sample: SampledItem<A>[] = []
    for (const { item, position } of this.certain.data)
      sample.push({ item, position, chance: certainChance })
    for (const { item, position } of this.random.data)
      sample.push({ item, position, chance: randomChance })
    return sample.sort((a, b) => a.position - b.position)
  }

  private drawAtRandom(randomKey: number, createCandidate: () => Candidate<A>): void {
    this.remainingRows++
    if (this.random.length < this.randomRows) {
      this.random.push(createCandidate())
      return
    }
    const last = this.random.peek()
    if (last === undefined || last.randomKey <= randomKey) return
    this.random.pop()
    this.random.push(createCandidate())
  }
}

const compareUncertainty = (a: RowKeys, b: RowKeys): number =>
  a.uncertainty - b.uncertainty || a.tieBreaker - b.tieBreaker
