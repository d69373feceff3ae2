import { countScores, type FeatureTable, type ModelShape } from './feature-table'

/**
 * Computes the scores of four rows, and writes them one after another. `rows` has the numbers of the four rows. Four rows at a time
 * take half the time, because each weight is read once for all of them.
 */
export const computeScores = (
  features: FeatureTable,
  { dimensions, termCount, classCount }: ModelShape,
  weights: Float64Array,
  rows: Uint32Array,
  scores: Float64Array,
): void => {
  const { vectors, starts, terms, weights: termWeights } = features
  const scoreCount = countScores({ classCount })
  const termStart = scoreCount * dimensions
  const constantStart = termStart + scoreCount * termCount
  const a = (rows[0] as number) * dimensions
  const b = (rows[1] as number) * dimensions
  const c = (rows[2] as number) * dimensions
  const d = (rows[3] as number) * dimensions
  for (let k = 0; k < scoreCount; k++) {
    const start = k * dimensions
    const constant = weights[constantStart + k] as number
    let sumA = constant
    let sumB = constant
    let sumC = constant
    let sumD = constant
    for (let i = 0; i < dimensions; i++) {
      const weight = weights[start + i] as number
      sumA += weight * (vectors[a + i] as number)
      sumB += weight * (vectors[b + i] as number)
      sumC += weight * (vectors[c + i] as number)
      sumD += weight * (vectors[d + i] as number)
    }
    scores[k] = sumA
    scores[scoreCount + k] = sumB
    scores[2 * scoreCount + k] = sumC
    scores[3 * scoreCount + k] = sumD
  }
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    const end = starts[row + 1] as number
    const first = i * scoreCount
    for (let j = starts[row] as number; j < end; j++) {
      const value = termWeights[j] as number
      const from = termStart + (terms[j] as number) * scoreCount
      for (let k = 0; k < scoreCount; k++)
        scores[first + k] = (scores[first + k] as number) + value * (weights[from + k] as number)
    }
  }
}

/**
 * Writes the logarithms of a row's probabilities, which are the softmax of its scores, into `logs` from `start` on. `from` is the
 * index of the first score.
 */
export const writeLogProbabilities = (
  scores: Float64Array,
  from: number,
  classCount: number,
  logs: Float64Array | Float32Array,
  start: number,
): void => {
  if (classCount === 2) {
    const score = scores[from] as number
    // ln(1 + e^−|s|) is exact for large scores too.
    const rest = Math.log1p(Math.exp(-Math.abs(score)))
    logs[start] = -Math.max(0, score) - rest
    logs[start + 1] = Math.min(0, score) - rest
    return
  }
  let largest = Number.NEGATIVE_INFINITY
  for (let k = 0; k < classCount; k++) largest = Math.max(largest, scores[from + k] as number)
  let total = 0
  for (let k = 0; k < classCount; k++) total += Math.exp((scores[from + k] as number) - largest)
  const logTotal = largest + Math.log(total)
  for (let k = 0; k < classCount; k++) logs[start + k] = (scores[from + k] as number) - logTotal
}

/**
 * Computes the logarithms of the probabilities of rows, and calls `visit` with each row and the logarithms, which are overwritten
 * afterwards.
 */
export const predictRows = (
  features: FeatureTable,
  shape: ModelShape,
  weights: Float64Array,
  rows: Uint32Array,
  visit: (row: number, logs: Float64Array) => void,
): void => {
  const scoreCount = countScores(shape)
  const scores = new Float64Array(4 * scoreCount)
  const logs = new Float64Array(shape.classCount)
  forEachFour(rows, (four, count) => {
    computeScores(features, shape, weights, four, scores)
    for (let i = 0; i < count; i++) {
      writeLogProbabilities(scores, i * scoreCount, shape.classCount, logs, 0)
      visit(four[i] as number, logs)
    }
  })
}

/**
 * Calls `visit` with four rows at a time. If fewer are left, the last ones repeat the first; `count` is the number without
 * repetitions. `position` is the position of the first of the four.
 */
export const forEachFour = (
  rows: Uint32Array,
  visit: (four: Uint32Array, count: number, position: number) => void,
): void => {
  const four = new Uint32Array(4)
  for (let position = 0; position < rows.length; position += 4) {
    const count = Math.min(4, rows.length - position)
    for (let i = 0; i < 4; i++) four[i] = rows[i < count ? position + i : position] as number
    visit(four, count, position)
  }
}
