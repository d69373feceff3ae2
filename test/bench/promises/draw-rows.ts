import type { CalibratedRows } from '../../../lib/measure/calibrate/calibrate'
import { createGroupUnits, createRowUnits, type Units } from '../../../lib/measure/statistics/units'
import type { Random } from '../../../lib/runtime/random'
import type { World, WorldFigure } from './answer-worlds'

/** How labelled rows are drawn from a world. */
export type Sampling =
  | { readonly kind: 'rows' }
  | {
      readonly kind: 'groups'
      readonly size: number
      /** The correlation within a group of how sure rows of the same truth are, and so of being right and of being found. */
      readonly correlation: number
      /** The correlation within a group of being a hit: 0 if the hits are spread over all groups. */
      readonly hitCorrelation: number
    }
  /** The draw of `svc sample --for review`: seven tenths are the least certain rows of a run, the others are drawn by chance. */
  | { readonly kind: 'review' }

/** Draws from a world: the index of the stated value of each row, and whether the row is a hit. */
interface DrawnRows {
  readonly indexes: Uint16Array
  readonly hits: Uint8Array
}

/** Creates a function that draws rows of a world. */
export const createDrawer = (world: World) => {
  const { shares, hitRates } = world
  const hitShare = shares.reduce((total, share, i) => total + share * (hitRates[i] as number), 0)
  const hitSums = accumulate(shares.map((share, i) => share * (hitRates[i] as number)))
  const missSums = accumulate(
    shares.map((share, i) => share * (1 - (hitRates[i] as number))).reverse(),
  )
  /** Finds the value of a row that is `sureness` sure: of the hits, a larger value is surer, and of the others a smaller one. */
  const findIndex = (isHit: boolean, sureness: number): number =>
    isHit ? findFirst(hitSums, sureness) : shares.length - 1 - findFirst(missSums, sureness)

  return (rowCount: number, sampling: Sampling, random: Random): DrawnRows => {
    const indexes = new Uint16Array(rowCount)
    const hits = new Uint8Array(rowCount)
    const { groupSize, followSureness, followHit } = describeGroups(sampling)
    let groupSureness = 0
    let isGroupHit = false
    for (let row = 0; row < rowCount; row++) {
      if (row % groupSize === 0) {
        groupSureness = random.nextFloat()
        isGroupHit = random.nextFloat() < hitShare
      }
      const isHit = happens(followHit, random) ? isGroupHit : random.nextFloat() < hitShare
      const sureness = happens(followSureness, random) ? groupSureness : random.nextFloat()
      indexes[row] = findIndex(isHit, sureness)
      hits[row] = isHit ? 1 : 0
    }
    return { indexes, hits }
  }
}

/**
 * Returns the size of groups, and the probabilities with which a row is as sure as its group, and is a hit like its group. Two rows that
 * follow their group with the probability √ρ each correlate by ρ.
 */
const describeGroups = (sampling: Sampling) =>
  sampling.kind === 'groups'
    ? {
        groupSize: sampling.size,
        followSureness: Math.sqrt(sampling.correlation),
        followHit: Math.sqrt(sampling.hitCorrelation),
      }
    : { groupSize: 1, followSureness: 0, followHit: 0 }

/** Returns `true` with a probability. Draws no number for the probability 0, to save time. */
const happens = (probability: number, random: Random): boolean =>
  probability > 0 && random.nextFloat() < probability

/** Returns the running sums, divided by the total. */
const accumulate = (parts: Float64Array): Float64Array => {
  let total = 0
  const sums = parts.map((part) => {
    total += part
    return total
  })
  return sums.map((sum) => sum / total)
}

/** Finds the index of the first sum above a number in [0, 1). */
const findFirst = (sums: Float64Array, number: number): number => {
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sums[middle] as number) > number) high = middle
    else low = middle + 1
  }
  return low
}

/** The answered rows of a run for each labelled one, if `svc sample --for review` draws the labelled ones. */
const rowsPerDrawnRow = 3

/** The share of rows that `svc sample --for review` draws by chance. */
const exploredShare = 0.3

/** Draws labelled rows of a question. */
export const drawLabelledRows = (
  world: World,
  figure: WorldFigure,
  draw: ReturnType<typeof createDrawer>,
  rowCount: number,
  sampling: Sampling,
  random: Random,
): CalibratedRows => {
  if (sampling.kind !== 'review') {
    const weights = new Float64Array(rowCount).fill(1)
    return createLabelledRows(world, figure, draw(rowCount, sampling, random), sampling, weights)
  }
  const runCount = rowCount * rowsPerDrawnRow
  const run = draw(runCount, sampling, random)
  const margins = Float64Array.from(run.indexes, (index) =>
    Math.abs(2 * (world.values[index] as number) - 1),
  )
  // The rows have no order, so ties are broken by chance.
  const order = [...margins.keys()].sort((a, b) => (margins[a] as number) - (margins[b] as number))
  const certainCount = Math.round(rowCount * (1 - exploredShare))
  const chanceCount = rowCount - certainCount
  const otherCount = runCount - certainCount
  for (let i = 0; i < chanceCount; i++) {
    const other = certainCount + i + random.nextInt(otherCount - i)
    const drawn = order[other] as number
    order[other] = order[certainCount + i] as number
    order[certainCount + i] = drawn
  }
  const drawnRows = order.slice(0, rowCount)
  const rows = {
    indexes: Uint16Array.from(drawnRows, (row) => run.indexes[row] as number),
    hits: Uint8Array.from(drawnRows, (row) => run.hits[row] as number),
  }
  const weights = Float64Array.from(drawnRows, (_, i) =>
    i < certainCount ? 1 : otherCount / chanceCount,
  )
  return createLabelledRows(world, figure, rows, sampling, weights)
}

const createLabelledRows = (
  { values }: World,
  figure: WorldFigure,
  { indexes, hits }: DrawnRows,
  sampling: Sampling,
  weights: Float64Array,
): CalibratedRows => {
  const rowCount = indexes.length
  const isChoice = figure === 'accuracy of choice'
  const stated = Float64Array.from(indexes, (index) => values[index] as number)
  // A choice always decides for the first label. A wrong one should have been the second or the third.
  const truth = isChoice ? hits.map((hit, row) => (hit === 1 ? 0 : 1 + (row % 2))) : hits
  const decisions = isChoice
    ? new Uint8Array(rowCount)
    : Uint8Array.from(stated, (p) => (p >= 0.5 ? 1 : 0))
  return {
    type: isChoice ? 'choice' : 'noul',
    truth,
    decisions,
    probabilities: isChoice
      ? { values: createChoiceValues(stated), columns: 3 }
      : { values: stated, columns: 1 },
    weights,
    units: createUnits(rowCount, sampling),
  }
}

const createUnits = (rowCount: number, sampling: Sampling): Units =>
  sampling.kind === 'groups'
    ? createGroupUnits(
        Int32Array.from({ length: rowCount }, (_, row) => Math.floor(row / sampling.size)),
      )
    : createRowUnits(rowCount)

/** Returns the probabilities of three labels, row after row. The second and the third share what the first leaves. */
const createChoiceValues = (tops: Float64Array): Float64Array => {
  const values = new Float64Array(tops.length * 3)
  tops.forEach((top, row) => {
    values.set(listChoiceProbabilities(top), row * 3)
  })
  return values
}

/** Lists the probabilities of three labels, of which the first has the probability `top`. */
export const listChoiceProbabilities = (top: number): ReadonlyArray<number> => [
  top,
  (1 - top) / 2,
  (1 - top) / 2,
]
