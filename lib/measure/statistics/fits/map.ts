import { mapNumbers, type Numbers, sortDescending, type Table } from '../numbers'
import { applyIsotonic, fitIsotonic } from './isotonic'
import type { CalibrationMap, Method } from './method'
import { applyPlatt, fitPlatt, logit } from './platt'
import { fitTemperature, logOf, logsOfYes, temperRow, temperYes } from './temperature'

/** The labelled rows of one question. */
export interface Labelled {
  /** Whether it is a noul question, whose table has the probability of a yes as its only column. */
  readonly yesNo: boolean
  readonly table: Table
  /** The right column of each row; of a noul question 1 for yes and 0 for no. */
  readonly truth: Numbers
  readonly weights: Numbers
}

/** Fits a method to labelled rows. Platt and isotonic are for noul questions only. R22 */
export const fit = (method: Method, rows: Labelled): CalibrationMap =>
  prepareFit(method, rows)(rows.weights)

/** Prepares a fit of rows. The function that it returns fits them with the weights that it is given. */
export const prepareFit = (
  method: Method,
  { yesNo, table, truth }: Labelled,
): ((weights: Numbers) => CalibrationMap) => {
  const { values } = table
  switch (method) {
    case 'none':
      return () => ({ method })
    case 'temperature': {
      const logs = yesNo ? logsOfYes(values) : { ...table, values: mapNumbers(values, logOf) }
      return (weights) => ({ method, temperature: fitTemperature(logs, truth, weights) })
    }
    case 'platt': {
      const x = mapNumbers(values, logit)
      return (weights) => ({ method, ...fitPlatt(x, truth, weights) })
    }
    case 'isotonic': {
      const order = sortDescending(values).reverse()
      return (weights) => ({ method, points: fitIsotonic(values, order, truth, weights) })
    }
  }
}

/** Corrects the probabilities of each row. */
export const applyMap = (map: CalibrationMap, table: Table, yesNo: boolean): Table => {
  const values = new Float64Array(table.values)
  for (let from = 0; from < values.length; from += table.columns)
    correctRow(map, values, from, table.columns, yesNo)
  return { values, columns: table.columns }
}

/** Corrects, in their place, the probabilities of the row of a table that begins at `from`. */
export const correctRow = (
  map: CalibrationMap,
  values: Float64Array,
  from: number,
  columns: number,
  yesNo: boolean,
): void => {
  const p = values[from] as number
  switch (map.method) {
    case 'none':
      return
    case 'temperature':
      if (yesNo) values[from] = temperYes(p, map.temperature)
      else temperRow(values, from, from + columns, map.temperature)
      return
    case 'platt':
      values[from] = applyPlatt(map, p)
      return
    case 'isotonic':
      values[from] = applyIsotonic(map.points, p)
  }
}
