import { correctRow, type Method } from '../../../runs/policy/calibration-map'
import { type Random, shuffleNumbers } from '../../../runtime/random'
import { z95 } from '../intervals'
import { logLosses, logLossesOfAll } from '../losses'
import { mapNumbers, type Numbers, sum, type Table } from '../numbers'
import type { Units } from '../units'
import { type LabelledTable, prepareFit } from './map'

const folds = 5

/** Assigns rows to folds. Whole groups are dealt out in random order. */
export const dealFolds = ({ units, unitOf }: Units, random: Random): Uint8Array => {
  const order = shuffleNumbers(units, random)
  const foldOf = new Uint8Array(units)
  order.forEach((unit, place) => {
    foldOf[unit] = place % folds
  })
  return new Uint8Array(unitOf.length).map((_, row) => foldOf[unitOf[row] as number] as number)
}

/** The probabilities of each row, corrected by a map that was fitted to the other folds. */
export const mapOutOfFold = (method: Method, rows: LabelledTable, foldOf: Numbers): Table => {
  const { table } = rows
  if (method === 'none') return table
  const { columns } = table
  const values = Float64Array.from(table.values)
  const fitTo = prepareFit(method, rows)
  for (let fold = 0; fold < folds; fold++) {
    const weights = weighOutside(rows.weights, foldOf, fold)
    if (weights === undefined) continue
    const map = fitTo(weights)
    for (let row = 0; row < weights.length; row++)
      if (foldOf[row] === fold) correctRow(map, values, row * columns, (row + 1) * columns)
  }
  return { values, columns }
}

/** Returns the weights of rows with those of a fold set to 0; `undefined` if the fold has no row or every row. */
const weighOutside = (
  weights: Numbers,
  foldOf: Numbers,
  fold: number,
): Float64Array | undefined => {
  const outside = mapNumbers(weights, (weight, row) => (foldOf[row] === fold ? 0 : weight))
  let inside = 0
  for (let row = 0; row < foldOf.length; row++) if (foldOf[row] === fold) inside++
  return inside === 0 || inside === weights.length ? undefined : outside
}

/** The clipped log loss of each row. */
const lossesOf = (yesNo: boolean, table: Table, truth: Numbers): Float64Array =>
  yesNo ? logLosses(table.values, truth) : logLossesOfAll(table, truth)

/**
 * The weighted mean of the differences d = a − b, and its standard error for rows in groups: the root of the sum over
 * groups of (Σ wᵢ(dᵢ − d̄))², divided by Σ wᵢ. Cochran, Sampling Techniques, 9A
 */
const compareMeans = (
  a: Numbers,
  b: Numbers,
  weights: Numbers,
  { units, unitOf }: Units,
): readonly [mean: number, error: number] => {
  const weighDifference = (i: number, centre: number): number =>
    (weights[i] as number) * ((a[i] as number) - (b[i] as number) - centre)
  let total = 0
  for (let i = 0; i < a.length; i++) total += weighDifference(i, 0)
  const all = sum(weights)
  const centre = total / all
  const totals = new Float64Array(units)
  for (let i = 0; i < a.length; i++) {
    const unit = unitOf[i] as number
    totals[unit] = (totals[unit] as number) + weighDifference(i, centre)
  }
  return [centre, Math.sqrt(totals.reduce((squares, one) => squares + one * one, 0)) / all]
}

/**
 * Chooses the method that fits the type of the question, `platt` or `temperature`. Chooses `none` unless the map
 * reduces the log loss out of fold: the whole 95 % interval of the gain is above 0.
 */
export const chooseMethod = (rows: LabelledTable, units: Units, foldOf: Numbers): Method => {
  const { yesNo, table, truth, weights } = rows
  const method = yesNo ? 'platt' : 'temperature'
  const before = lossesOf(yesNo, table, truth)
  const after = lossesOf(yesNo, mapOutOfFold(method, rows, foldOf), truth)
  const [gained, error] = compareMeans(before, after, weights, units)
  return gained - z95 * error > 0 ? method : 'none'
}
