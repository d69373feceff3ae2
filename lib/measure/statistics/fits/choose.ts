import { calibrateRow } from '../../../runs/policy/calibration-map'
import type { CalibrationMethod } from '../../../runs/policy/policy'
import { type Random, shuffleNumbers } from '../../../runtime/random'
import { z95 } from '../intervals'
import { logLosses, logLossesOfAll } from '../losses'
import { mapNumbers, type Numbers, sum, type Table, weightedMean } from '../numbers'
import type { Units } from '../units'
import { type FitData, prepareFit } from './map'

/** The number of folds of the cross-validation. */
const foldCount = 5

/** Assigns each row to a fold of the cross-validation, 0 to 4. All rows of a group are in the same fold. */
export const assignFolds = ({ count, unitOfRow }: Units, random: Random): Uint8Array => {
  const foldOfUnit = new Uint8Array(count)
  shuffleNumbers(count, random).forEach((unit, i) => {
    foldOfUnit[unit] = i % foldCount
  })
  const foldOfRow = new Uint8Array(unitOfRow.length)
  for (let row = 0; row < foldOfRow.length; row++)
    foldOfRow[row] = foldOfUnit[unitOfRow[row] as number] as number
  return foldOfRow
}

/** Corrects the probabilities of each row by a calibration map that was fitted to the rows of the other folds. */
export const mapOutOfFold = (
  method: CalibrationMethod,
  rows: FitData,
  foldOfRow: Numbers,
): Table => {
  const { table } = rows
  if (method === 'none') return table
  const { columns } = table
  const values = Float64Array.from(table.values)
  const fitTo = prepareFit(method, rows)
  for (let fold = 0; fold < foldCount; fold++) {
    const weights = excludeFold(rows.weights, foldOfRow, fold)
    // An empty fold has no rows to correct. A fold with every row leaves none to fit a map to, so its rows stay as they are.
    if (weights === undefined) continue
    const map = fitTo(weights)
    for (let row = 0; row < weights.length; row++)
      if (foldOfRow[row] === fold) calibrateRow(map, values, row * columns, (row + 1) * columns)
  }
  return { values, columns }
}

/** Returns the weights of rows with those of a fold set to 0; `undefined` if the fold is empty, or if it has every row. */
const excludeFold = (
  weights: Numbers,
  foldOfRow: Numbers,
  fold: number,
): Float64Array | undefined => {
  let rowsInFold = 0
  for (let row = 0; row < foldOfRow.length; row++) if (foldOfRow[row] === fold) rowsInFold++
  if (rowsInFold === 0 || rowsInFold === weights.length) return undefined
  return mapNumbers(weights, (weight, row) => (foldOfRow[row] === fold ? 0 : weight))
}

/** Computes the clipped log loss of each row. */
const computeLogLosses = (isYesNo: boolean, table: Table, truth: Numbers): Float64Array =>
  isYesNo ? logLosses(table.values, truth) : logLossesOfAll(table, truth)

/**
 * Computes the weighted mean d̄ of differences, and its standard error for rows in groups: the root of the sum over groups of
 * (Σ wᵢ(dᵢ − d̄))², divided by Σ wᵢ. Cochran, Sampling Techniques, 9A
 */
const estimateMean = (
  differences: Numbers,
  weights: Numbers,
  { count, unitOfRow }: Units,
): { readonly estimate: number; readonly standardError: number } => {
  const estimate = weightedMean(differences, weights)
  const deviationOfUnit = new Float64Array(count)
  for (let i = 0; i < differences.length; i++) {
    const unit = unitOfRow[i] as number
    const deviation = (weights[i] as number) * ((differences[i] as number) - estimate)
    deviationOfUnit[unit] = (deviationOfUnit[unit] as number) + deviation
  }
  const squares = deviationOfUnit.reduce((total, deviation) => total + deviation ** 2, 0)
  return { estimate, standardError: Math.sqrt(squares) / sum(weights) }
}

/**
 * Chooses the method for the type of the question: `platt` for a yes/no question, else `temperature`. Chooses `none` if the method does
 * not clearly reduce the log loss out of fold: the 95 % interval of the gain must be above 0.
 */
export const chooseMethod = (
  rows: FitData,
  units: Units,
  foldOfRow: Numbers,
): CalibrationMethod => {
  const { isYesNo, table, truth, weights } = rows
  const method = isYesNo ? 'platt' : 'temperature'
  const before = computeLogLosses(isYesNo, table, truth)
  const after = computeLogLosses(isYesNo, mapOutOfFold(method, rows, foldOfRow), truth)
  const gains = mapNumbers(before, (loss, row) => loss - (after[row] as number))
  const { estimate, standardError } = estimateMean(gains, weights, units)
  return estimate - z95 * standardError > 0 ? method : 'none'
}
