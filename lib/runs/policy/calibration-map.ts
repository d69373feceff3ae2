/** How probabilities are corrected, as in `policy.json`: `platt` is for noul, `temperature` for choice and score. */
export type CalibrationMap =
  | { readonly method: 'none' }
  | ({ readonly method: 'platt' } & Platt)
  | { readonly method: 'temperature'; readonly temperature: number }

/** The names of the methods. */
export const methods = ['none', 'platt', 'temperature'] as const

/** The name of a method. */
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
 * The least probability that log loss and maps assume. It is half a rounding step of services that send two decimals:
 * what they call 0.00 may be as likely as this.
 */
export const minProbability = 0.005

/** Clips a probability of a yes to [0.005, 0.995]. */
export const clipProbability = (p: number): number =>
  Math.min(Math.max(p, minProbability), 1 - minProbability)

/** The natural logarithm of a probability, which is raised to at least 0.005. */
export const logOf = (p: number): number => Math.log(Math.max(p, minProbability))

/** ln(p / (1 − p)), with p clipped to [0.005, 0.995]. */
export const logit = (p: number): number => Math.log(clipProbability(p) / (1 - clipProbability(p)))

/** The larger probability of a yes and a no, rounded so that 1 − 0.9 and 0.1 are the same. */
export const topOfYes = (yes: number): number => Number(Math.max(yes, 1 - yes).toFixed(12))

/** Corrects, in their place, the probabilities from the place `from` up to `end`. Of a noul it is P(yes) alone. */
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
  let largest = logOf(0)
  for (let k = from; k < end; k++) largest = Math.max(largest, logOf(values[k] as number))
  let total = 0
  for (let k = from; k < end; k++) {
    // Subtracted before it is divided: a tiny temperature would make both sides infinite.
    values[k] = Math.exp((logOf(values[k] as number) - largest) / temperature)
    total += values[k] as number
  }
  for (let k = from; k < end; k++) values[k] = (values[k] as number) / total
}
