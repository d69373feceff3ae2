import { z95 } from '../intervals'
import { logLosses, logLossesOfAll } from '../losses'
import { mean, type Numbers, placesWhere, sum, type Table } from '../numbers'
import { type Random, shuffleNumbers } from '../random'
import type { Units } from '../units'
import { correctRow, type Labelled, prepareFit } from './map'
import type { Method } from './method'

const folds = 5

/** The fewest rows for isotonic regression, which is so flexible that with fewer it would fit chance. R22 */
export const isotonicFrom = 200

/** Assigns rows to folds. Whole groups are dealt out in random order. R22 */
export const dealFolds = ({ units, unitOf }: Units, random: Random): Uint8Array => {
  const order = shuffleNumbers(units, random)
  const foldOf = new Uint8Array(units)
  order.forEach((unit, place) => {
    foldOf[unit] = place % folds
  })
  return new Uint8Array(unitOf.length).map((_, row) => foldOf[unitOf[row] as number] as number)
}

/** The probabilities of each row, corrected by a map that was fitted to the other folds. R22 */
export const mapOutOfFold = (method: Method, rows: Labelled, foldOf: Numbers): Table => {
  const { table, yesNo } = rows
  if (method === 'none') return table
  const { columns } = table
  const values = new Float64Array(table.values)
  const fitTo = prepareFit(method, rows)
  const weights = new Float64Array(rows.weights)
  for (let fold = 0; fold < folds; fold++) {
    const inside = placesWhere(foldOf, (one) => one === fold)
    if (inside.length === 0 || inside.length === foldOf.length) continue
    // Rows of no weight are in no fit. To copy the others would take much memory.
    for (const row of inside) weights[row] = 0
    const map = fitTo(weights)
    for (const row of inside) {
      correctRow(map, values, row * columns, columns, yesNo)
      weights[row] = rows.weights[row] as number
    }
  }
  return { values, columns }
}

/** The clipped log loss of each row. R19 */
const lossesOf = (yesNo: boolean, table: Table, truth: Numbers): Float64Array =>
  yesNo ? logLosses(table.values, truth) : logLossesOfAll(table, truth)

/**
 * The weighted mean of differences d, and its standard error for rows in groups: the root of the sum over
 * groups of (Σ wᵢ(dᵢ − d̄))², divided by Σ wᵢ. Cochran, Sampling Techniques, 9A
 */
const meanAndError = (
  differences: Numbers,
  weights: Numbers,
  { units, unitOf }: Units,
): readonly [mean: number, error: number] => {
  const centre = mean(differences, weights)
  const totals = new Float64Array(units)
  for (let i = 0; i < differences.length; i++) {
    const unit = unitOf[i] as number
    const off = (weights[i] as number) * ((differences[i] as number) - centre)
    totals[unit] = (totals[unit] as number) + off
  }
  return [centre, Math.sqrt(totals.reduce((total, one) => total + one * one, 0)) / sum(weights)]
}

/**
 * Compares the methods by their out-of-fold log loss, row by row. Chooses the simplest one that is at most one
 * standard error (of the difference) worse than the best. But chooses `none` unless the 95 % interval of the
 * gain over it excludes 0. One-standard-error rule: Breiman et al., CART (1984). `table` is what it gives out of fold. R22
 */
export const chooseMethod = (rows: Labelled, units: Units, foldOf: Numbers) => {
  const { yesNo, truth, weights } = rows
  const candidates: ReadonlyArray<Method> = yesNo
    ? [
        'none',
        'temperature',
        'platt',
        ...(truth.length < isotonicFrom ? [] : ['isotonic' as const]),
      ]
    : ['none', 'temperature']
  const results = candidates.map((method) => {
    // The table is made again for the method that is chosen: to hold all of them takes much memory.
    const losses = lossesOf(yesNo, mapOutOfFold(method, rows, foldOf), truth)

    return { method, losses, loss: mean(losses, weights) }
  })
  const [none] = results as [(typeof results)[number]]
  const best = results.reduce((a, b) => (b.loss < a.loss ? b : a))
  const compareLosses = (a: Float64Array, b: Float64Array) =>
    meanAndError(
      a.map((loss, i) => loss - (b[i] as number)),
      weights,
      units,
    )
  const simplest =
    results.find((one) => {
      const [worse, error] = compareLosses(one.losses, best.losses)
      return worse <= error
    }) ?? best
  const [gained, error] = compareLosses(none.losses, simplest.losses)
  const { method } = gained - z95 * error > 0 ? simplest : none

  return { method, table: mapOutOfFold(method, rows, foldOf) }
}
