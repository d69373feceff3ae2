import type { Numbers, Table } from '../numbers'
import { applyIsotonic, fitIsotonic } from './isotonic'
import type { CalibrationMap, Method } from './method'
import { applyPlatt, fitPlatt } from './platt'
import { applyTemperature, fitTemperature, logs, logsOfYes } from './temperature'

/** The labelled rows of one question. For a noul question the table has the columns no and yes. */
export interface Labelled {
  readonly yesNo: boolean
  readonly table: Table
  /** The right column of each row. */
  readonly truth: Numbers
  readonly weights: Numbers
}

/** Turns probabilities of yes into a table with the columns no and yes. */
export const yesNoTable = (p: Numbers): Table => {
  const values = new Float64Array(p.length * 2)
  for (let i = 0; i < p.length; i++) {
    values[2 * i] = 1 - (p[i] as number)
    values[2 * i + 1] = p[i] as number
  }
  return { values, columns: 2 }
}

/** The column yes of such a table. */
export const yesOf = ({ values }: Table): Float64Array =>
  new Float64Array(values.length / 2).map((_, i) => values[2 * i + 1] as number)

/** Fits a method to labelled rows. Platt and isotonic are for noul questions only. R22 */
export const fit = (method: Method, { yesNo, table, truth, weights }: Labelled): CalibrationMap => {
  switch (method) {
    case 'none':
      return { method }
    case 'temperature':
      return { method, temperature: fitTemperature(logsOf(table, yesNo), truth, weights) }
    case 'platt':
      return { method, ...fitPlatt(yesOf(table), truth, weights) }
    case 'isotonic':
      return { method, points: fitIsotonic(yesOf(table), truth, weights) }
  }
}

const logsOf = (table: Table, yesNo: boolean): Table =>
  yesNo ? logsOfYes(yesOf(table)) : logs(table)

/** Corrects the probabilities of each row. */
export const applyMap = (map: CalibrationMap, table: Table, yesNo: boolean): Table => {
  switch (map.method) {
    case 'none':
      return table
    case 'temperature':
      return applyTemperature(logsOf(table, yesNo), map.temperature)
    case 'platt':
      return yesNoTable(yesOf(table).map((p) => applyPlatt(map, p)))
    case 'isotonic':
      return yesNoTable(yesOf(table).map((p) => applyIsotonic(map.points, p)))
  }
}
