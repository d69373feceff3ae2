import type { LabelledSet } from './labelled-sets'

/** How well probabilities predict known labels: means over all rows. */
export interface Accuracy {
  readonly rows: number
  /** The share of rows whose likeliest option is the label. If n options are the likeliest, the row counts 1/n. */
  readonly right: number
  /** The mean probability of the likeliest option. A calibrated engine is right as often as this says. */
  readonly stated: number
  /** The share of rows for which all options have the same probability. */
  readonly noOpinion: number
  /** The mean of -ln(probability of the label). A probability counts as 0.0001 at least. */
  readonly logLoss: number
}

/** Options that differ by a rounding error are equally likely. */
const tolerance = 1e-9
const minProbability = 1e-4

/** Probabilities of the options for one text, and the index of the right option. */
interface Prediction {
  readonly probabilities: ReadonlyArray<number>
  readonly label: number
}

export const measureAccuracy = (predictions: ReadonlyArray<Prediction>): Accuracy => {
  const sum = { right: 0, stated: 0, noOpinion: 0, logLoss: 0 }
  for (const { probabilities, label } of predictions) {
    const max = Math.max(...probabilities)
    const likeliest = probabilities.filter((p) => p > max - tolerance)
    const ofLabel = probabilities[label] ?? 0
    if (ofLabel > max - tolerance) sum.right += 1 / likeliest.length
    if (likeliest.length === probabilities.length) sum.noOpinion += 1
    sum.stated += max
    sum.logLoss -= Math.log(Math.max(minProbability, ofLabel))
  }
  const rows = predictions.length
  return {
    rows,
    right: sum.right / rows,
    stated: sum.stated / rows,
    noOpinion: sum.noOpinion / rows,
    logLoss: sum.logLoss / rows,
  }
}

/** Predicts the labels of all rows of a set. */
export type PredictSet = (set: LabelledSet) => ReadonlyArray<ReadonlyArray<number>>

/** Measures a prediction over several sets. Each row counts once. */
export const measureSets = (sets: ReadonlyArray<LabelledSet>, predictSet: PredictSet): Accuracy => {
  const predictions = sets.flatMap((set) => {
    const probabilities = predictSet(set)
    return set.rows.map(({ label }, i) => ({ label, probabilities: probabilities[i] ?? [] }))
  })
  return measureAccuracy(predictions)
}

const countOptions = ({ question }: LabelledSet): number =>
  question.type === 'noul' ? 2 : question.criteria.length

/** Predicts every option with the same probability. */
export const predictUniform: PredictSet = (set) => {
  const count = countOptions(set)
  return set.rows.map(() => Array<number>(count).fill(1 / count))
}

/** Predicts every option with the share of the set's rows that have its label. No engine can know these shares. */
export const predictPrior: PredictSet = (set) => {
  const shares = Array<number>(countOptions(set)).fill(0)
  for (const { label } of set.rows) shares[label] = (shares[label] ?? 0) + 1 / set.rows.length
  return set.rows.map(() => shares)
}
