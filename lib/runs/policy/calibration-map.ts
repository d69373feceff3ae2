/** The map that corrects probabilities, as in `policy.json`: `platt` is for noul, `temperature` for choice and score. */
export type CalibrationMap =
  | { readonly method: 'none' }
  | ({ readonly method: 'platt' } & Platt)
  | { readonly method: 'temperature'; readonly temperature: number }

/** The names of the methods of a map. */
export const methods = ['none', 'platt', 'temperature'] as const

export type Method = (typeof methods)[number]

/** Platt scaling: p becomes 1 / (1 + e^−(slope·logit p + intercept)). */
export interface Platt {
  readonly slope: number
  readonly intercept: number
}

/** The lowest and highest temperatures. Beyond them every distribution is practically one label, or uniform. */
export const minTemperature = 0.05
export const maxTemperature = 20

/**
 * The minimum that log loss and maps assume for a probability. It is half a rounding step of services that send two
 * decimals: a probability of 0.00 may be up to 0.005.
 */
export const minProbability = 0.005

/** Clips a probability of a yes to [0.005, 0.995]. */
export const clipProbability = (p: number): number =>
  Math.min(Math.max(p, minProbability), 1 - minProbability)

/** Returns the natural logarithm of a probability, raised to at least 0.005. */
export const clippedLog = (p: number): number => Math.log(Math.max(p, minProbability))

/** Returns ln(p / (1 − p)), with p clipped to [0.005, 0.995]. */
export const logit = (p: number): number => Math.log(clipProbability(p) / (1 - clipProbability(p)))

/** Returns the larger probability of a yes and a no. It is rounded because 1 − 0.9 is slightly less than 0.1. */
export const topOfYes = (yes: number): number => Number(Math.max(yes, 1 - yes).toFixed(12))

/** Corrects, in place, the probabilities at the indexes from `from` up to `end`. A noul has only one, P(yes). */
export const correctRow = (
  map: CalibrationMap,
  values: Float64Array,
  from: number,
  end: number,
): void => {
  if (map.method === 'platt')
    for (let k = from; k < end; k++) values[k] = applyPlatt(map, values[k] as number)
  if (map.method === 'temperature') temperRow(values, from, end, map.temperature)
}

const applyPlatt = ({ slope, intercept }: Platt, p: number): number =>
  1 / (1 + Math.exp(-(slope * logit(p) + intercept)))

/** Turns probabilities into softmax(log p / T). T above 1 makes a source less certain, below 1 more. */
const temperRow = (values: Float64Array, from: number, end: number, temperature: number): void => {
  let largest = clippedLog(0)
  for (let k = from; k < end; k++) largest = Math.max(largest, clippedLog(values[k] as number))
  let total = 0
  for (let k = from; k < end; k++) {
    // Subtracted before the division: a tiny temperature would make both terms infinite.
    values[k] = Math.exp((clippedLog(values[k] as number) - largest) / temperature)
    total += values[k] as number
  }
  for (let k = from; k < end; k++) values[k] = (values[k] as number) / total
}
