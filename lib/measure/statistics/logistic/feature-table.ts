/**
 * The features of rows. Each row has a vector of numbers, and the terms that occur in it with their weights. Most terms do not occur in
 * a row, so only those that do are stored.
 */
export interface FeatureTable {
  readonly rowCount: number
  /** The length of each vector. */
  readonly dimensions: number
  /** The vectors, row after row. */
  readonly vectors: Float32Array
  readonly termCount: number
  /** The terms of row i are those from the index `starts[i]` up to, but not including, `starts[i + 1]`. */
  readonly starts: Uint32Array
  /** The terms of the rows, as their numbers from 0 to `termCount` − 1. */
  readonly terms: Uint32Array
  /** The weight of each term in its row. */
  readonly weights: Float32Array
}

/** The sizes of a model. */
export interface ModelShape {
  readonly dimensions: number
  readonly termCount: number
  /** The number of classes, at least 2. */
  readonly classCount: number
}

/**
 * Returns the number of scores that a model computes. Two classes need only one: the score of the second class. The first has the
 * score 0.
 */
export const countScores = ({ classCount }: Pick<ModelShape, 'classCount'>): number =>
  classCount === 2 ? 1 : classCount

/**
 * Returns the number of weights of a model. First come those of the vector for each score, then those of the scores for each term, then
 * a constant for each score.
 */
export const countWeights = (shape: ModelShape): number =>
  countScores(shape) * (shape.dimensions + shape.termCount + 1)
