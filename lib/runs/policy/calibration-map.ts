/** The map that corrects the probabilities of a question: `platt` for a noul, `temperature` for a choice or score. */
export type CalibrationMap =
  | { readonly method: 'none' }
  | ({ readonly method: 'platt' } & Platt)
  | { readonly method: 'temperature'; readonly temperature: number }

export const methods = ['none', 'platt', 'temperature'] as const

export type Method = (typeof methods)[number]

/** Platt scaling: p becomes 1 / (1 + e^−(slope·logit p + intercept)). */
export interface Platt {
  readonly slope: number
  readonly intercept: number
}

/** The range of temperatures. Outside of it, a distribution is practically one label, or uniform. */
export const minTemperature = 0.05
export const maxTemperature = 20

/**
 * Log loss and maps raise smaller probabilities to this value. Some services send two decimals, so a probability of 0.00 may be up
 * to 0.005.
 */
export const minProbability = 0.005

/** Limits the probability of a yes to the range from 0.005 to 0.995. */
export const clipProbability = (p: number): number =>
  Math.min(Math.max(p, minProbability), 1 - minProbability)

/** Returns the natural logarithm of a probability, which is first raised to at least 0.005. */
export const clippedLog = (p: number): number => Math.log(Math.max(p, minProbability))

/** Returns ln(p / (1 − p)). First limits p to the range from 0.005 to 0.995. */
export const logit = (p: number): number => Math.log(clipProbability(p) / (1 - clipProbability(p)))

/** Returns the larger one of the probabilities of a yes and a no. Rounds it, because 1 − 0.9 is slightly less than 0.1. */
export const topOfYes = (yes: number): number => Number(Math.max(yes, 1 - yes).toFixed(12))

/** Corrects the probabilities from the index `from` up to, but not including, `end` in place. A noul has only one: that of a yes. */
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

/** Replaces each probability p by softmax(log p / temperature). A temperature above 1 makes the answers less certain. */
const temperRow = (values: Float64Array, from: number, end: number, temperature: number): void => {
  let largest = clippedLog(0)
  for (let k = from; k < end; k++) largest = Math.max(largest, clippedLog(values[k] as number))
  let total = 0
  for (let k = from; k < end; k++) {
    // Subtracts before it divides, because a tiny temperature would make both terms infinite.
    values[k] = Math.exp((clippedLog(values[k] as number) - largest) / temperature)
    total += values[k] as number
  }
  for (let k = from; k < end; k++) values[k] = (values[k] as number) / total
}
