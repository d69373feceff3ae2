/**
 * Applies calibration maps. They change the probabilities of answers so that 0.8 means: right in 80 % of the cases. The casts to
 * `number` are safe, because each index is within the array.
 */
import type { CalibrationMap, Platt } from './policy'

/**
 * The range of the temperature of a map. At a lower temperature, practically all probability is on one label. At a higher one, all
 * labels are practically equal.
 */
export const minTemperature = 0.05
export const maxTemperature = 20

/**
 * The log loss and the maps raise smaller probabilities to this value. Some services send only two decimals, so a probability of
 * 0.00 may be up to 0.005.
 */
export const minProbability = 0.005

/** Limits the probability of a yes to the range from 0.005 to 0.995. */
export const clipProbability = (p: number): number =>
  Math.min(Math.max(p, minProbability), 1 - minProbability)

/** Returns the natural logarithm of a probability, which is first raised to at least 0.005. */
export const clippedLog = (p: number): number => Math.log(Math.max(p, minProbability))

/** Returns ln(p / (1 − p)), the log odds. First limits p to the range from 0.005 to 0.995. */
export const logit = (p: number): number => Math.log(clipProbability(p) / (1 - clipProbability(p)))

/**
 * Rounds to 12 decimal places. The last bits of `Math.log` and `Math.exp` differ between machines, and those of a sum with the order of
 * its terms, and a cut must not tell such values apart.
 */
const roundPlaces = (value: number): number => Math.round(value * 1e12) / 1e12

/** Returns the larger one of P(yes) and P(no). Rounds it, because in binary fractions 1 − 0.9 is slightly less than 0.1. */
export const topOfYes = (yes: number): number => roundPlaces(Math.max(yes, 1 - yes))

/**
 * Calibrates the probabilities of one answer in place: those from the index `from` up to, but not including, `end`. A yes/no question
 * has only one: that of a yes. Calibrated probabilities are rounded to 12 decimal places. A map of the method `none` changes nothing.
 */
export const calibrateRow = (
  map: CalibrationMap,
  values: Float64Array,
  from: number,
  end: number,
): void => {
  if (map.method === 'none') return
  if (map.method === 'platt')
    for (let i = from; i < end; i++) values[i] = applyPlatt(map, values[i] as number)
  else temperRow(values, from, end, map.temperature)
  for (let i = from; i < end; i++) values[i] = roundPlaces(values[i] as number)
}

const applyPlatt = ({ slope, intercept }: Platt, p: number): number =>
  1 / (1 + Math.exp(-(slope * logit(p) + intercept)))

/** Replaces each probability p by softmax(ln p / temperature). A temperature above 1 makes the answers less certain. */
const temperRow = (values: Float64Array, from: number, end: number, temperature: number): void => {
  // No logarithm is smaller than this.
  let largestLog = clippedLog(0)
  for (let i = from; i < end; i++)
    largestLog = Math.max(largestLog, clippedLog(values[i] as number))
  let total = 0
  for (let i = from; i < end; i++) {
    // Subtracts before it divides, because a tiny temperature would make both terms infinite.
    values[i] = Math.exp((clippedLog(values[i] as number) - largestLog) / temperature)
    total += values[i] as number
  }
  for (let i = from; i < end; i++) values[i] = (values[i] as number) / total
}
