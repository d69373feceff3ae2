import { fitTemperatureToLogs } from '../statistics/fits/temperature'
import type { FeatureTable, ModelShape } from '../statistics/logistic/feature-table'
import { type FitRows, fitLogistic } from '../statistics/logistic/fit'
import type { Steps } from '../statistics/logistic/minimize'
import { predictRows } from '../statistics/logistic/predict'

/** The strengths of the regularization that are tried, from strong to weak. */
const strengths = [1, 0.3, 0.1, 0.03, 0.01] as const

/** The number of parts of the rows. A model for each part is fitted to the other parts. */
export const foldCount = 5

/** A model for one question, fitted to all rows, and the predictions of models that have not seen the rows. */
export interface FittedModel {
  readonly strength: number
  /** Divides the scores. Above 1 it makes the probabilities less certain. */
  readonly temperature: number
  /** In the order that `countWeights` describes, as they are in the file. */
  readonly weights: Float32Array
  /**
   * The probabilities of each row by a model that was fitted without the row's fold, after the temperature. It has a row for every row
   * of the features, also for those without a target.
   */
  readonly heldOut: Float32Array
}

/** The precision of the models that only predict, and of the model for the file. */
const heldOutLimits = { tolerance: 3e-4, maxSteps: 100 }
const finalLimits = { tolerance: 3e-5, maxSteps: 300 }

/**
 * Fits a model to the rows of a question. The strength is the one with the smallest mean log loss of the rows by models that have not
 * seen them. The search goes from strong to weak, and ends at the first strength that is not better. `foldOfRow` has the fold of each
 * row of the features. Yields after each step of a fit.
 */
export const fitModel = function* (data: FitRows, foldOfRow: Uint8Array): Steps<FittedModel> {
  const { features, classCount } = data
  const shape = shapeOf(features, classCount)
  const folds = divideRows(data, foldOfRow)
  let best = { loss: Number.POSITIVE_INFINITY, strength: 1, logs: new Float32Array(0) }
  let start: Float64Array | undefined
  for (const strength of strengths) {
    const logs = new Float32Array(features.rowCount * classCount)
    for (const fold of folds) {
      // A model starts where the last one of the fold ended.
      fold.start = yield* fitLogistic(
        { ...data, rows: fold.others },
        strength,
        fold.start,
        heldOutLimits,
      )
      predictRows(features, shape, fold.start, fold.all, (row, rowLogs) =>
        logs.set(rowLogs, row * classCount),
      )
    }
    start = folds[0]?.start
    const loss = computeLoss(data, logs)
    if (loss >= best.loss) break
    best = { loss, strength, logs }
  }
  const weights = Float32Array.from(yield* fitLogistic(data, best.strength, start, finalLimits))
  const temperature = fitHeldOutTemperature(data, best.logs)
  return {
    strength: best.strength,
    temperature,
    weights,
    heldOut: applyTemperature(best.logs, classCount, temperature),
  }
}

const shapeOf = ({ dimensions, termCount }: FeatureTable, classCount: number): ModelShape => ({
  dimensions,
  termCount,
  classCount,
})

/** The rows of a fold. */
interface Fold {
  /** All rows of the fold, also those without a target. */
  readonly all: Uint32Array
  /** The rows with a target of all other folds. */
  readonly others: Uint32Array
  start: Float64Array | undefined
}

const divideRows = ({ features, rows }: FitRows, foldOfRow: Uint8Array): ReadonlyArray<Fold> =>
  Array.from({ length: foldCount }, (_, fold) => ({
    all: new Uint32Array(features.rowCount)
      .map((_, row) => row)
      .filter((row) => foldOfRow[row] === fold),
    others: rows.filter((row) => foldOfRow[row] !== fold),
    start: undefined,
  }))

/** Computes the weighted mean of the log loss, from logarithms of probabilities. */
const computeLoss = ({ rows, targets, rowWeights, classCount }: FitRows, logs: Float32Array) => {
  let loss = 0
  let total = 0
  for (const row of rows) {
    const weight = rowWeights[row] as number
    for (let k = row * classCount; k < (row + 1) * classCount; k++)
      if ((targets[k] as number) > 0) loss -= weight * (targets[k] as number) * (logs[k] as number)
    total += weight
  }
  return loss / total
}

/** Fits the temperature to predictions for rows that their models have not seen. */
const fitHeldOutTemperature = (
  { rows, targets, rowWeights, classCount }: FitRows,
  logs: Float32Array,
): number => {
  const values = new Float64Array(rows.length * classCount)
  const targetLogs = new Float64Array(rows.length)
  const weights = new Float64Array(rows.length)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    weights[i] = rowWeights[row] as number
    for (let k = 0; k < classCount; k++) {
      const log = logs[row * classCount + k] as number
      values[i * classCount + k] = log
      targetLogs[i] = (targetLogs[i] as number) + (targets[row * classCount + k] as number) * log
    }
  }
  return fitTemperatureToLogs({ values, columns: classCount }, targetLogs, weights)
}

/** Returns the probabilities after a temperature: softmax(log p / T) in each row. */
const applyTemperature = (
  logs: Float32Array,
  classCount: number,
  temperature: number,
): Float32Array => {
  const probabilities = new Float32Array(logs.length)
  for (let start = 0; start < logs.length; start += classCount)
    writeTempered(logs.subarray(start, start + classCount), temperature, probabilities, start)
  return probabilities
}

/** Writes softmax(log p / T) into `target` from `start` on. */
export const writeTempered = (
  logs: Float32Array | Float64Array,
  temperature: number,
  target: Float32Array | Float64Array,
  start: number,
): void => {
  let largest = Number.NEGATIVE_INFINITY
  for (let k = 0; k < logs.length; k++) largest = Math.max(largest, logs[k] as number)
  let total = 0
  for (let k = 0; k < logs.length; k++) {
    const power = Math.exp(((logs[k] as number) - largest) / temperature)
    target[start + k] = power
    total += power
  }
  for (let k = 0; k < logs.length; k++) target[start + k] = (target[start + k] as number) / total
}
