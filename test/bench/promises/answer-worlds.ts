/**
 * Worlds of answers with known truth. A model states a probability for each row. The world says how often it states each value, and
 * how often the row is then a hit: a yes for a yes/no question (a noul), and a right answer for a choice.
 */

/** How the values are distributed that a model states. */
export type ValueKind = 'continuous' | 'two' | 'five' | 'ten' | 'rare'

/** The figure that a cut must reach. `accuracy of choice` is the accuracy of the answers to a choice. */
export type WorldFigure = 'accuracy' | 'accuracy of choice' | 'precision' | 'recall'

/** The stated values in ascending order, the share of rows with each, and the probability that such a row is a hit. */
export interface World {
  readonly values: Float64Array
  readonly shares: Float64Array
  readonly hitRates: Float64Array
}

type StatedValues = Pick<World, 'values' | 'shares'>

const spreadEvenly = (count: number, low: number, high: number, share: number) =>
  Array.from({ length: count }, (_, i) => ({
    value: low + ((i + 0.5) / count) * (high - low),
    share: share / count,
  }))

const equalShares = (values: ReadonlyArray<number>) =>
  values.map((value) => ({ value, share: 1 / values.length }))

const listValues = (kind: ValueKind, figure: WorldFigure): StatedValues => {
  // The probability of the chosen label of three is rarely below 0.4.
  const isChoice = figure === 'accuracy of choice'
  const valuesByKind = {
    continuous: () => spreadEvenly(200, isChoice ? 0.4 : 0, 1, 1),
    two: () => [
      { value: 0.55, share: 0.4 },
      { value: 0.75, share: 0.6 },
    ],
    five: () => equalShares(isChoice ? [0.5, 0.6, 0.7, 0.85, 0.95] : [0.05, 0.25, 0.6, 0.8, 0.95]),
    ten: () =>
      equalShares(
        Array.from({ length: 10 }, (_, i) => (isChoice ? 0.45 + 0.055 * i : 0.02 + 0.1 * i)),
      ),
    // One row of twenty is flagged.
    rare: () => [...spreadEvenly(100, 0, 0.1, 0.95), ...spreadEvenly(50, 0.6, 1, 0.05)],
  }
  const stated = valuesByKind[kind]()
  return {
    values: Float64Array.from(stated, ({ value }) => value),
    shares: Float64Array.from(stated, ({ share }) => share),
  }
}

/** Computes hit rates whose log odds are `slope` · (those of the stated value) + `intercept`. */
const createWorld = (
  { values, shares }: StatedValues,
  slope: number,
  intercept: number,
): World => ({
  values,
  shares,
  hitRates: values.map((value) => 1 / (1 + Math.exp(-intercept) * (1 / value - 1) ** slope)),
})

/** Whether a policy accepts the rows with each stated value, and whether it decides for a hit. */
export interface Acceptance {
  readonly isAccepted: (index: number) => boolean
  readonly isDecidedHit: (index: number) => boolean
}

/** Computes the true figure of the accepted rows; 1 if there are none. */
export const computeTrueFigure = (
  { shares, hitRates }: World,
  figure: WorldFigure,
  { isAccepted, isDecidedHit }: Acceptance,
): number => {
  let part = 0
  let whole = 0
  shares.forEach((share, i) => {
    const hits = share * (hitRates[i] as number)
    if (figure === 'recall') {
      whole += hits
      if (isAccepted(i)) part += hits
      return
    }
    if (!isAccepted(i)) return
    whole += share
    part += figure === 'accuracy' && !isDecidedHit(i) ? share - hits : hits
  })
  return whole === 0 ? 1 : part / whole
}

/** Returns the share of the rows that a threshold accepts at which the figure is just below its target. */
const selectAcceptedShare = (kind: ValueKind, figure: WorldFigure): number => {
  if (kind === 'rare') return 0.04
  if (kind === 'two') return figure === 'recall' ? 0.6 : 1
  // Only 40 % of the values say yes surely enough for a precision of 0.95.
  return figure === 'precision' && kind !== 'five' ? 0.4 : 0.6
}

/** How far the figure at that threshold is below the target. A cut there is a miss, and is the hardest one to tell from a hit. */
const shortfall = 0.002

/**
 * Creates the world in which accepting a certain share of the surest rows just misses the target. Throws if no slope of the hit rates
 * gives such a world.
 */
export const createHardWorld = (kind: ValueKind, figure: WorldFigure, target: number): World => {
  const stated = listValues(kind, figure)
  const acceptance = acceptSurest(stated, figure, selectAcceptedShare(kind, figure))
  // With two values, recall is solved by the intercept, because no slope makes the lower value rarely a hit.
  const isByIntercept = figure === 'recall' && kind === 'two'
  const create = (parameter: number): World =>
    isByIntercept
      ? createWorld(stated, 3, -parameter)
      : createWorld(stated, parameter, kind === 'two' ? 0.8 : 0)
  let low = 0.01
  let high = 30
  const isBelow = (parameter: number): boolean =>
    computeTrueFigure(create(parameter), figure, acceptance) < target - shortfall
  if (!isBelow(low) || isBelow(high)) throw new Error(`no world: ${kind}, ${figure} ${target}`)
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (isBelow(middle)) low = middle
    else high = middle
  }
  return create(low)
}

/** Accepts the surest rows: those with the largest values or, for the accuracy of a noul, also those with the smallest. */
const acceptSurest = (
  { values, shares }: StatedValues,
  figure: WorldFigure,
  acceptedShare: number,
): Acceptance => {
  const sureness =
    figure === 'accuracy' ? values.map((value) => Math.max(value, 1 - value)) : values
  const order = [...sureness.keys()].sort(
    (a, b) => (sureness[b] as number) - (sureness[a] as number),
  )
  let share = 0
  let threshold = 1
  for (const index of order) {
    if (share >= acceptedShare - 1e-9) break
    share += shares[index] as number
    threshold = sureness[index] as number
  }
  return {
    isAccepted: (index) => (sureness[index] as number) >= threshold - 1e-9,
    isDecidedHit: (index) => (values[index] as number) >= 0.5,
  }
}
