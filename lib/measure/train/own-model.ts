import type { QuestionType } from '../../runs/policy/policy'
import { countScores, type ModelShape } from '../statistics/logistic/feature-table'
import { computeScores, writeLogProbabilities } from '../statistics/logistic/predict'
import { writeTempered } from './cross-validate'
import { readTerms, type StateText, type TermVocabulary, type WeightedTerms } from './terms'
import type { TrainingSource } from './training-rows'

/** The model of one question. */
export interface OwnQuestion {
  readonly type: QuestionType
  /** The digest of all questions of the run. */
  readonly questionsSha256: string
  /** The digest of this question by itself; `undefined` if the questions were not known in training. */
  readonly sha256: string | undefined
  /** All labels: those of a choice, the levels from 0 on, or `no` and `yes`. */
  readonly labels: ReadonlyArray<string>
  /** The labels that have weights, as indexes in `labels`. The probability of the others is 0. */
  readonly classes: ReadonlyArray<number>
  readonly rows: number
  readonly from: TrainingSource
  readonly strength: number
  readonly temperature: number
  /** In the order that `countWeights` describes. */
  readonly weights: Float32Array
}

/** A model of one's own: what a model file holds. */
export interface OwnModel {
  /** The length of the vectors of texts. */
  readonly dimensions: number
  readonly vocabulary: TermVocabulary
  readonly questions: ReadonlyMap<string, OwnQuestion>
}

/** Computes the probability of each label of a question for a text. */
export type PredictLabels = (text: StateText, terms: WeightedTerms) => Float64Array

/** Prepares a question's model for predictions. */
export const createPredictor = (
  { labels, classes, temperature, weights }: OwnQuestion,
  { dimensions, vocabulary }: Pick<OwnModel, 'dimensions' | 'vocabulary'>,
): PredictLabels => {
  const shape: ModelShape = {
    dimensions,
    termCount: vocabulary.terms.length,
    classCount: classes.length,
  }
  const doubles = Float64Array.from(weights)
  const scores = new Float64Array(4 * countScores(shape))
  const logs = new Float64Array(classes.length)
  const probabilities = new Float64Array(classes.length)
  // The same row four times, because `computeScores` takes four.
  const rows = new Uint32Array(4)
  return ({ vector }, { terms, weights: termWeights }) => {
    const features = {
      rowCount: 1,
      dimensions,
      vectors: vector,
      termCount: shape.termCount,
      starts: Uint32Array.of(0, terms.length),
      terms,
      weights: termWeights,
    }
    computeScores(features, shape, doubles, rows, scores)
    writeLogProbabilities(scores, 0, shape.classCount, logs, 0)
    writeTempered(logs, temperature, probabilities, 0)
    return spreadOverLabels(probabilities, classes, labels.length)
  }
}

/** Returns the probabilities of all labels. Those without weights have 0. */
export const spreadOverLabels = (
  probabilities: ArrayLike<number>,
  classes: ReadonlyArray<number>,
  labelCount: number,
): Float64Array => {
  const spread = new Float64Array(labelCount)
  for (const [k, label] of classes.entries()) spread[label] = probabilities[k] as number
  return spread
}

/** Creates a function that computes the probabilities of the labels of some questions for a text. */
export const createModelPredictor = (
  model: OwnModel,
): ((text: StateText, ids: ReadonlyArray<string>) => ReadonlyArray<Float64Array>) => {
  const predictors = new Map(
    [...model.questions].map(([id, question]) => [id, createPredictor(question, model)]),
  )
  return (text, ids) => {
    const terms = readTerms(text.words, model.vocabulary)
    return ids.flatMap((id) => predictors.get(id)?.(text, terms) ?? [])
  }
}
