import {
  type CalibrationMap,
  type CalibrationMethod,
  calibrateRow,
  clippedLog,
  logit,
} from '../../../runs/policy/calibration-map'
import { mapNumbers, type Numbers, type Table } from '../numbers'
import { fitPlatt } from './platt'
import { fitTemperature } from './temperature'

/** The labelled rows of one question. */
export interface LabelledTable {
  /** True for a noul question. Its table has a single column, P(yes). */
  readonly isYesNo: boolean
  readonly table: Table
  /** The right column of each row; for a noul question, 1 for yes and 0 for no. */
  readonly truth: Numbers
  readonly weights: Numbers
}

/** Fits a calibration map to labelled rows. `platt` is for noul questions, `temperature` for choices and scores. */
export const fitMap = (method: CalibrationMethod, rows: LabelledTable): CalibrationMap =>
  prepareFit(method, rows)(rows.weights)

/** Prepares a fit of rows, which may be repeated with other weights. Returns a function that fits a map with given weights. */
export const prepareFit = (
  method: CalibrationMethod,
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

/** Returns a table with the probabilities of each row corrected. */
export const applyMap = (map: CalibrationMap, table: Table): Table => {
  const { columns } = table
  const values = Float64Array.from(table.values)
  for (let start = 0; start < values.length; start += columns)
    calibrateRow(map, values, start, start + columns)
  return { values, columns }
}
