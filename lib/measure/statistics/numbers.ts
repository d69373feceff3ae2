/** A list of numbers: an array or a typed array. Functions that take one never change it. */
export type Numbers = ArrayLike<number>

/** A table of numbers, stored row after row. */
export interface Table {
  readonly values: Numbers
  readonly columns: number
}

/** Weights of `n` rows that all count the same. */
export const ones = (n: number): Float64Array => new Float64Array(n).fill(1)

/**
 * Computes a number from each. `from` of a typed array would first list them as objects, which take three times the
 * memory.
 */
export const mapNumbers = (
  numbers: Numbers,
  compute: (value: number, place: number) => number,
): Float64Array => {
  const result = new Float64Array(numbers.length)
  for (let i = 0; i < numbers.length; i++) result[i] = compute(numbers[i] as number, i)
  return result
}

/** The sum of all numbers. */
export const sum = (numbers: Numbers): number => {
  let total = 0
  for (let i = 0; i < numbers.length; i++) total += numbers[i] as number
  return total
}

/**
 * The largest number; -∞ if there is none. `Math.max(...numbers)` overflows the stack above about 100,000
 * numbers.
 */
export const largest = (numbers: Numbers): number => {
  let most = Number.NEGATIVE_INFINITY
  for (let i = 0; i < numbers.length; i++) most = Math.max(most, numbers[i] as number)
  return most
}

/** The weighted mean, Σ wᵢxᵢ / Σ wᵢ; NaN if the weights sum to 0. */
export const mean = (numbers: Numbers, weights: Numbers): number => {
  let total = 0
  let weight = 0
  for (let i = 0; i < numbers.length; i++) {
    total += (weights[i] as number) * (numbers[i] as number)
    weight += weights[i] as number
  }
  return total / weight
}

/**
 * Kish's effective size: how many rows of equal weight would be as informative, (Σ wᵢ)² / Σ wᵢ². It equals the
 * number of rows if all weights are equal, and is 0 without rows. Kish, Survey Sampling (1965).
 */
export const effectiveSize = (weights: Numbers): number => {
  let total = 0
  let squares = 0
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] as number
    total += weight
    squares += weight * weight
  }
  return squares === 0 ? 0 : total ** 2 / squares
}

/** The places of the numbers for which a condition holds. */
export const placesWhere = (numbers: Numbers, holds: (value: number) => boolean): Uint32Array => {
  const places = new Uint32Array(numbers.length)
  let found = 0
  for (let i = 0; i < numbers.length; i++) if (holds(numbers[i] as number)) places[found++] = i
  return places.subarray(0, found)
}

/** Returns the rows of a table as arrays. */
export const listTableRows = ({ values, columns }: Table): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: columns === 0 ? 0 : values.length / columns }, (_, row) =>
    Array.from({ length: columns }, (_, k) => values[row * columns + k] as number),
  )

/** Picks a number from each row of a table: that in the column which `columnOf` gives for the row. */
export const pickColumns = ({ values, columns }: Table, columnOf: Numbers): Float64Array =>
  mapNumbers(columnOf, (column, row) => values[row * columns + column] as number)

/** The numbers at `places`, in that order. */
export const pick = (numbers: Numbers, places: Numbers): Float64Array =>
  mapNumbers(places, (place) => numbers[place] as number)

/** The rows of a table at `places`, in that order. */
export const pickTableRows = ({ values, columns }: Table, places: Numbers): Table => {
  const picked = new Float64Array(places.length * columns)
  for (let i = 0; i < places.length; i++) {
    const from = (places[i] as number) * columns
    for (let k = 0; k < columns; k++) picked[i * columns + k] = values[from + k] as number
  }
  return { values: picked, columns }
}

/**
 * Returns the indexes of the numbers, sorted from the largest to the smallest. Equal numbers keep their order.
 * Sorting a typed array with a comparison function takes much memory, so only the numbers are sorted, and then looked
 * up.
 */
export const sortDescending = (numbers: Numbers): Uint32Array => {
  const sorted = mapNumbers(numbers, (number) => -number).sort()
  const places = new Uint32Array(sorted.length)
  /** For the first of equal numbers, how many of them have their place. */
  const placed = new Uint32Array(sorted.length)
  for (let i = 0; i < sorted.length; i++) {
    const first = findFirst(sorted, -(numbers[i] as number))
    places[first + (placed[first] as number)] = i
    placed[first] = (placed[first] as number) + 1
  }
  return places
}

/** The place of the first of sorted numbers that is not below `number`. */
const findFirst = (sorted: Float64Array, number: number): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) < number) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Computes the quantile `q` of sorted numbers, interpolated linearly (type 7 of Hyndman and Fan 1996, NumPy's
 * default). NaN for an empty list.
 */
export const quantile = (sorted: Numbers, q: number): number => {
  const place = (sorted.length - 1) * q
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  return low + (place - below) * ((sorted[below + 1] ?? low) - low)
}
