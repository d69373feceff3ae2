import { countScores, countWeights, type FeatureTable, type ModelShape } from './feature-table'
import { type MinimizeLimits, minimize, type Objective, type Steps } from './minimize'
import { computeScores, forEachFour, writeLogProbabilities } from './predict'

/** The rows to which a model is fitted. */
export interface FitRows {
  readonly features: FeatureTable
  readonly classCount: number
  /** The numbers of the rows in `features`. */
  readonly rows: Uint32Array
  /** The probability of each class that is right for a row, for all rows of `features`, row after row. They sum to 1. */
  readonly targets: Float32Array
  /** The weight of each row of `features`. */
  readonly rowWeights: Float64Array
}

/**
 * Fits an L2-regularized multinomial logistic regression: minimizes Σ wᵢ·lossᵢ + strength/2·Σ θ², in which the constants are not
 * regularized. Two classes have one score, whose softmax is the logistic function. This is scikit-learn's `LogisticRegression` with
 * C = 1/strength. Returns the weights in the order that `countWeights` describes. `start` are weights to begin with. Yields after each step.
 */
export const fitLogistic = (
  fitRows: FitRows,
  strength: number,
  start: Float64Array | undefined,
  limits: MinimizeLimits,
): Steps<Float64Array> => {
  const { dimensions, termCount } = fitRows.features
  const shape = { dimensions, termCount, classCount: fitRows.classCount }
  return minimize(
    createObjective(fitRows, shape, strength),
    start ?? new Float64Array(countWeights(shape)),
    limits,
  )
}

/** Creates the function to minimize, divided by the sum of the row weights, so that its gradient does not grow with the rows. */
const createObjective = (
  { features, rows, targets, rowWeights }: FitRows,
  shape: ModelShape,
  strength: number,
): Objective => {
  const { classCount } = shape
  const scoreCount = countScores(shape)
  let totalWeight = 0
  for (const row of rows) totalWeight += rowWeights[row] as number
  const scores = new Float64Array(4 * scoreCount)
  const logs = new Float64Array(classCount)
  /** Replaces the scores of a row by the derivatives of its loss. Returns the loss. */
  const deriveLoss = (row: number, from: number): number => {
    writeLogProbabilities(scores, from, classCount, logs, 0)
    const weight = (rowWeights[row] as number) / totalWeight
    const firstTarget = row * classCount
    let loss = 0
    for (let k = 0; k < classCount; k++) {
      const target = targets[firstTarget + k] as number
      if (target > 0) loss -= target * (logs[k] as number)
    }
    // With two classes the only score is that of the second.
    const skipped = classCount - scoreCount
    for (let k = 0; k < scoreCount; k++)
      scores[from + k] =
        weight *
        (Math.exp(logs[skipped + k] as number) - (targets[firstTarget + skipped + k] as number))
    return weight * loss
  }
  return (weights, gradient) => {
    gradient.fill(0)
    let value = 0
    forEachFour(rows, (four, count) => {
      computeScores(features, shape, weights, four, scores)
      for (let i = 0; i < count; i++) value += deriveLoss(four[i] as number, i * scoreCount)
      // Repeated rows count once.
      scores.fill(0, count * scoreCount)
      addGradient(features, shape, four, scores, gradient)
    })
    const factor = strength / totalWeight
    const constantStart = weights.length - scoreCount
    for (let i = 0; i < constantStart; i++) {
      const weight = weights[i] as number
      value += (factor / 2) * weight * weight
      gradient[i] = (gradient[i] as number) + factor * weight
    }
    return value
  }
}

/** Adds the gradient of four rows, from the derivatives of their losses by their scores. */
const addGradient = (
  { vectors, starts, terms, weights: termWeights }: FeatureTable,
  shape: ModelShape,
  rows: Uint32Array,
  derivatives: Float64Array,
  gradient: Float64Array,
): void => {
  const { dimensions, termCount } = shape
  const scoreCount = countScores(shape)
  const termStart = scoreCount * dimensions
  const constantStart = termStart + scoreCount * termCount
  const a = (rows[0] as number) * dimensions
  const b = (rows[1] as number) * dimensions
  const c = (rows[2] as number) * dimensions
  const d = (rows[3] as number) * dimensions
  for (let k = 0; k < scoreCount; k++) {
    const start = k * dimensions
    const ofA = derivatives[k] as number
    const ofB = derivatives[scoreCount + k] as number
    const ofC = derivatives[2 * scoreCount + k] as number
    const ofD = derivatives[3 * scoreCount + k] as number
    for (let i = 0; i < dimensions; i++)
      gradient[start + i] =
        (gradient[start + i] as number) +
        ofA * (vectors[a + i] as number) +
        ofB * (vectors[b + i] as number) +
        ofC * (vectors[c + i] as number) +
        ofD * (vectors[d + i] as number)
    gradient[constantStart + k] = (gradient[constantStart + k] as number) + ofA + ofB + ofC + ofD
  }
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    const end = starts[row + 1] as number
    const first = i * scoreCount
    for (let j = starts[row] as number; j < end; j++) {
      const value = termWeights[j] as number
      const from = termStart + (terms[j] as number) * scoreCount
      for (let k = 0; k < scoreCount; k++)
        gradient[from + k] =
          (gradient[from + k] as number) + value * (derivatives[first + k] as number)
    }
  }
}
