import { clippedLog, logit } from '../../../runs/policy/calibration-map'
import type { CalibrationMap, CalibrationMethod } from '../../../runs/policy/policy'
import { mapNumbers, type Numbers, type Table } from '../numbers'
import { fitPlatt } from './platt'
import { fitTemperature } from './temperature'

/** The labelled rows of one question. A calibration map, which corrects probabilities, is fitted to them. */
export interface FitData {
  /** `true` for a yes/no question (`noul`). Its table has a single column, P(yes). */
  readonly isYesNo: boolean
  /** The probability of each label of each row. */
  readonly table: Table
  /** The right column of each row; for a yes/no question, 1 for yes and 0 for no. */
  readonly truth: Numbers
  readonly weights: Numbers
}

/** Fits a calibration map to labelled rows. The method `platt` is for yes/no questions, `temperature` for choices and scores. */
export const fitMap = (method: CalibrationMethod, rows: FitData): CalibrationMap =>
  prepareFit(method, rows)(rows.weights)

/** Returns a function that fits a map to rows with the weights that it is called with. Repeated calls share the preparation. */
export const prepareFit = (
  method: CalibrationMethod,
  { table, truth }: FitData,
): ((weights: Numbers) => CalibrationMap) => {
  switch (method) {
    case 'none':
      return () => ({ method })
    case 'temperature': {
      const logs = { ...table, values: mapNumbers(table.values, clippedLog) }
      return (weights) => ({ method, temperature: fitTemperature(logs, truth, weights) })
    }
    case 'platt': {
      const logits = mapNumbers(table.values, logit)
      return (weights) => ({ method, ...fitPlatt(logits, truth, weights) })
    }
  }
}
