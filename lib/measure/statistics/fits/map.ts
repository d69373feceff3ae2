import {
  type CalibrationMap,
  clippedLog,
  correctRow,
  logit,
  type Method,
} from '../../../runs/policy/calibration-map'
import { mapNumbers, type Numbers, type Table } from '../numbers'
import { fitPlatt } from './platt'
import { fitTemperature } from './temperature'

/** The labelled rows of one question. */
export interface LabelledTable {
  /** True for a noul question. Its table has the probability of a yes as its only column. */
  readonly yesNo: boolean
  readonly table: Table
  /** The right column of each row; of a noul question 1 for yes and 0 for no. */
  readonly truth: Numbers
  readonly weights: Numbers
}

/** Fits a method to labelled rows. Platt is for noul questions, temperature for choices and scores. */
export const fit = (method: Method, rows: LabelledTable): CalibrationMap =>
  prepareFit(method, rows)(rows.weights)

/** Prepares a fit of rows. Returns a function that fits them with the given weights. */
export const prepareFit = (
  method: Method,
  { table, truth }: LabelledTable,
): ((weights: Numbers) => CalibrationMap) => {
  switch (method) {
    case 'none':
      return () => ({ method })
    case 'temperature': {
      const logs = { ...table, values: mapNumbers(table.values, clippedLog) }
      return (weights) => ({ method, temperature: fitTemperature(logs, truth, weights) })
    }
    case 'platt': {
      const x = mapNumbers(table.values, logit)
      return (weights) => ({ method, ...fitPlatt(x, truth, weights) })
    }
  }
}

/** Corrects the probabilities of each row. */
export const applyMap = (map: CalibrationMap, { values: given, columns }: Table): Table => {
  const values = Float64Array.from(given)
  for (let from = 0; from < values.length; from += columns)
    correctRow(map, values, from, from + columns)
  return { values, columns }
}
