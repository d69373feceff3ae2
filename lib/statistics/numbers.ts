/** Numbers by index: an array or a typed one. Never changed by what takes it. */
export type Numbers = ArrayLike<number>

/** Rows of equally many numbers, one row after the other. */
export interface Table {
  readonly values: Numbers
  readonly columns: number
}

/** `n` times the weight 1: every row counts alike. */
export const ones = (n: number): Float64Array => new Float64Array(n).fill(1)

/** The sum of all numbers. */
export const sum = (numbers: Numbers): number => {
  let total = 0
  for (let i = 0; i < numbers.length; i++) total += numbers[i] as number
  return total
}

/** The largest number, -∞ where there is none. `Math.max(...numbers)` ends with an overflow above some 100,000. */
export const largest = (numbers: Numbers): number => {
  let most = Number.NEGATIVE_INFINITY
  for (let i = 0; i < numbers.length; i++) most = Math.max(most, numbers[i] as number)
  return most
}

/** Σ wᵢxᵢ / Σ wᵢ; NaN where the weights sum to 0. */
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
 * How many rows of equal weight would tell as much: (Σ wᵢ)² / Σ wᵢ². The number of rows where
 * all weights are equal, 0 where there are none. Kish, Survey Sampling (1965).
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

/** The numbers at `places`, in that order. */
export const pick = (numbers: Numbers, places: Numbers): Float64Array => {
  const picked = new Float64Array(places.length)
  for (let i = 0; i < places.length; i++) picked[i] = numbers[places[i] as number] as number
  return picked
}

/** The rows of a table at `places`, in that order. */
export const pickRows = ({ values, columns }: Table, places: Numbers): Table => {
  const picked = new Float64Array(places.length * columns)
  for (let i = 0; i < places.length; i++) {
    const from = (places[i] as number) * columns
    for (let k = 0; k < columns; k++) picked[i * columns + k] = values[from + k] as number
  }
  return { values: picked, columns }
}

/** The places of the numbers from the largest to the smallest; equal ones keep their order. */
export const descending = (numbers: Numbers): Uint32Array => {
  const places = new Uint32Array(numbers.length)
  for (let i = 0; i < places.length; i++) places[i] = i
  return places.sort((a, b) => (numbers[b] as number) - (numbers[a] as number) || a - b)
}

/**
 * The value below which the share `q` of sorted numbers lies, linear between neighbours (type 7
 * of Hyndman and Fan 1996, NumPy's default). NaN where there are none.
 */
export const quantile = (sorted: Numbers, q: number): number => {
  const place = (sorted.length - 1) * q
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  return low + (place - below) * ((sorted[below + 1] ?? low) - low)
}
