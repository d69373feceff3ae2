/**
 * An array or a typed array of numbers. Functions that take one never change it. The casts of elements to `number`
 * are safe, because each index is below the length.
 */
export type Numbers = ArrayLike<number>

/** A table of numbers, stored row after row. */
export interface Table {
  readonly values: Numbers
  readonly columns: number
}

/** Maps numbers like `Float64Array.from`, with a third of its memory: that function first copies the numbers into an array. */
export const mapNumbers = (
  numbers: Numbers,
  compute: (value: number, index: number) => number,
): Float64Array => {
  const result = new Float64Array(numbers.length)
  for (let i = 0; i < numbers.length; i++) result[i] = compute(numbers[i] as number, i)
  return result
}

export const sum = (numbers: Numbers): number => {
  let total = 0
  for (let i = 0; i < numbers.length; i++) total += numbers[i] as number
  return total
}

/** Finds the largest number; −∞ for an empty list. `Math.max(...numbers)` overflows the stack above about 100,000 numbers. */
export const findLargest = (numbers: Numbers): number => {
  let largest = Number.NEGATIVE_INFINITY
  for (let i = 0; i < numbers.length; i++) largest = Math.max(largest, numbers[i] as number)
  return largest
}

/** Adds up the weights of equal indexes. The default weight of 1 counts them. */
export const sumByIndex = (indexes: Numbers, length: number, weights?: Numbers): Float64Array => {
  const sums = new Float64Array(length)
  for (let i = 0; i < indexes.length; i++) {
    const index = indexes[i] as number
    sums[index] = (sums[index] as number) + (weights?.[i] ?? 1)
  }
  return sums
}

/** Computes the weighted mean, Σ wᵢxᵢ / Σ wᵢ; NaN if the weights sum to 0. */
export const weightedMean = (numbers: Numbers, weights: Numbers): number => {
  let total = 0
  let weight = 0
  for (let i = 0; i < numbers.length; i++) {
    total += (weights[i] as number) * (numbers[i] as number)
    weight += weights[i] as number
  }
  return total / weight
}

/**
 * Computes Kish's effective size, (Σ wᵢ)² / Σ wᵢ²: the number of rows of equal weight that give a mean of the same
 * precision. 0 for an empty list. Kish, Survey Sampling (1965).
 */
export const computeEffectiveSize = (weights: Numbers): number => {
  let total = 0
  let squares = 0
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] as number
    total += weight
    squares += weight * weight
  }
  return squares === 0 ? 0 : total ** 2 / squares
}

/** Returns `true` if the weights are unequal: their effective size is not their number, apart from rounding errors. */
export const hasUnequalWeights = (weights: Numbers): boolean =>
  Math.abs(computeEffectiveSize(weights) - weights.length) > 1e-9 * weights.length

/** Returns the indexes of the numbers that meet a condition. */
export const findIndexes = (numbers: Numbers, isMet: (value: number) => boolean): Uint32Array => {
  const indexes = new Uint32Array(numbers.length)
  let count = 0
  for (let i = 0; i < numbers.length; i++) {
    if (!isMet(numbers[i] as number)) continue
    indexes[count] = i
    count++
  }
  return indexes.subarray(0, count)
}

/** Converts a table to an array of rows. */
export const listTableRows = ({ values, columns }: Table): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: columns === 0 ? 0 : values.length / columns }, (_, row) =>
    Array.from({ length: columns }, (_, k) => values[row * columns + k] as number),
  )

/** Picks one number from each row of a table. `columnOfRow` has the column for each row. */
export const pickColumns = ({ values, columns }: Table, columnOfRow: Numbers): Float64Array =>
  mapNumbers(columnOfRow, (column, row) => values[row * columns + column] as number)

/** Returns the numbers at `indexes`, in that order. */
export const pickNumbers = (numbers: Numbers, indexes: Numbers): Float64Array =>
  mapNumbers(indexes, (index) => numbers[index] as number)

/** Returns the rows of a table at `indexes`, in that order. */
export const pickTableRows = ({ values, columns }: Table, indexes: Numbers): Table => {
  const picked = new Float64Array(indexes.length * columns)
  for (let i = 0; i < indexes.length; i++) {
    const offset = (indexes[i] as number) * columns
    for (let k = 0; k < columns; k++) picked[i * columns + k] = values[offset + k] as number
  }
  return { values: picked, columns }
}

/**
 * Returns the indexes of the numbers in descending order of the numbers. Equal numbers keep their order. Sorts only the numbers,
 * and then finds the rank of each: sorting indexes with a comparison function takes much more memory.
 */
export const sortDescending = (numbers: Numbers): Uint32Array => {
  const sorted = mapNumbers(numbers, (number) => -number).sort()
  const indexes = new Uint32Array(sorted.length)
  // Equal numbers share the rank of the first of them. The array counts, at that rank, how many of them have been placed.
  const placedAtRank = new Uint32Array(sorted.length)
  for (let i = 0; i < sorted.length; i++) {
    const rank = findLowerBound(sorted, -(numbers[i] as number))
    indexes[rank + (placedAtRank[rank] as number)] = i
    placedAtRank[rank] = (placedAtRank[rank] as number) + 1
  }
  return indexes
}

/** Returns the indexes of the numbers in ascending order of the numbers. Equal numbers keep their order. `undefined` if all are in order. */
export const findAscendingOrder = (numbers: Numbers): Uint32Array | undefined => {
  for (let i = 1; i < numbers.length; i++)
    if ((numbers[i - 1] as number) > (numbers[i] as number))
      return sortDescending(mapNumbers(numbers, (number) => -number))
  return undefined
}

/** Finds by binary search the index of the first number in an ascending list that is at least `number`. */
const findLowerBound = (sorted: Float64Array, number: number): number => {
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
 * Computes the quantile of ascending numbers for a probability by linear interpolation (type 7 of Hyndman and Fan 1996, NumPy's
 * default). NaN for an empty list.
 */
export const quantile = (sorted: Numbers, probability: number): number => {
  const position = (sorted.length - 1) * probability
  const below = Math.floor(position)
  const low = sorted[below] ?? Number.NaN
  return low + (position - below) * ((sorted[below + 1] ?? low) - low)
}
