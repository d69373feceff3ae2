import { minProbability } from '../../runs/policy/calibration-map'
import { groupOf } from '../labels/labelled-record'
import { measureEvidence } from '../rows/evidence'
import { type Interval, wilsonInterval } from '../statistics/intervals'
import { logLosses } from '../statistics/losses'
import { sum, sumByIndex, weightedMean } from '../statistics/numbers'
import { createGroupUnits } from '../statistics/units'
import { findLabelIndex, indexOfLargest } from './targets'
import type { TrainedQuestion } from './train-questions'
import type { TrainingRow } from './training-rows'

/** The accuracy of a question's model in labelled rows that it has not seen. All figures are null without labels. */
export interface TrainingFigures {
  /** The number of rows with a label. */
  readonly labelledRows: number
  readonly accuracy: number | null
  readonly accuracyInterval: Interval | undefined
  /** The reason why the accuracy has no interval; `undefined` if it has one. */
  readonly noIntervalReason: string | undefined
  readonly logLoss: number | null
  /** The most common label, and the accuracy of always giving it as the answer. */
  readonly baseline: { readonly label: string; readonly accuracy: number } | null
  /** The share of rows in which the model decides like the answers that it learned from; `undefined` if it learned from labels. */
  readonly agreement: number | undefined
}

/** Returns the label that probabilities decide for. A `noul`, which is a yes/no question, is a yes from 0.5 on. */
const decide = (type: TrainedQuestion['targets']['type'], probabilities: Float64Array): number => {
  if (type === 'noul') return (probabilities[1] as number) >= 0.5 ? 1 : 0
  return indexOfLargest(probabilities)
}

/** Measures a question's model by its predictions for rows that it has not seen. */
export const measureTraining = (
  { targets, model, predictHeldOut }: TrainedQuestion,
  rows: ReadonlyArray<TrainingRow>,
): TrainingFigures => {
  const { id, type, labels } = targets
  const indexOfLabel = new Map(labels.map((label, index) => [label, index]))
  const truth: number[] = []
  const right: number[] = []
  const rightProbabilities: number[] = []
  const weights: number[] = []
  const groups: number[] = []
  const groupIndexes = new Map<string, number>()
  for (const [i, row] of rows.entries()) {
    const label = findLabelIndex(row, id, type, indexOfLabel)
    if (label < 0) continue
    const probabilities = predictHeldOut(i)
    truth.push(label)
    right.push(decide(type, probabilities) === label ? 1 : 0)
    rightProbabilities.push(probabilities[label] as number)
    weights.push(1 / (row.p ?? 1))
    groups.push(indexGroup(row, groupIndexes))
  }
  const agreement = model.from === 'answers' ? measureAgreement(targets, predictHeldOut) : undefined
  if (truth.length === 0) return { ...noFigures, agreement }
  const accuracy = weightedMean(right, weights)
  const evidence = measureEvidence({ right, weights, units: createGroupUnits(groups) })
  const { noWilsonReason, effectiveRows } = evidence
  const weightOfLabel = sumByIndex(truth, labels.length, weights)
  const commonLabel = indexOfLargest(weightOfLabel)
  return {
    labelledRows: truth.length,
    accuracy,
    accuracyInterval:
      noWilsonReason === undefined
        ? wilsonInterval(Math.min(1, accuracy), effectiveRows)
        : undefined,
    noIntervalReason: noWilsonReason,
    logLoss: weightedMean(computeLogLosses(type, rightProbabilities), weights),
    baseline: {
      label: labels[commonLabel] as string,
      accuracy: (weightOfLabel[commonLabel] as number) / sum(weights),
    },
    agreement,
  }
}

const noFigures: TrainingFigures = {
  labelledRows: 0,
  accuracy: null,
  accuracyInterval: undefined,
  noIntervalReason: undefined,
  logLoss: null,
  baseline: null,
  agreement: undefined,
}

/** Returns the index of a row's group; −1 without one. */
const indexGroup = ({ group }: TrainingRow, indexes: Map<string, number>): number => {
  const name = groupOf({ group })
  if (name === undefined) return -1
  const index = indexes.get(name) ?? indexes.size
  indexes.set(name, index)
  return index
}

/** Computes the log losses from the probability of the right label, clipped as in `svc eval`. */
const computeLogLosses = (
  type: TrainedQuestion['targets']['type'],
  rightProbabilities: ReadonlyArray<number>,
): ArrayLike<number> =>
  type === 'noul'
    ? logLosses(
        rightProbabilities,
        rightProbabilities.map(() => 1),
      )
    : rightProbabilities.map((p) => -Math.log(Math.max(p, minProbability)))

/** Computes the weighted share of rows in which the model and the answers decide for the same label. */
const measureAgreement = (
  { type, rows, targets, classes, labels, rowWeights }: TrainedQuestion['targets'],
  predictHeldOut: TrainedQuestion['predictHeldOut'],
): number => {
  let agreed = 0
  let total = 0
  for (const row of rows) {
    const answer = targets.subarray(row * classes.length, (row + 1) * classes.length)
    const spread = new Float64Array(labels.length)
    for (const [k, label] of classes.entries()) spread[label] = answer[k] as number
    const weight = rowWeights[row] as number
    if (decide(type, predictHeldOut(row)) === decide(type, spread)) agreed += weight
    total += weight
  }
  return agreed / total
}
