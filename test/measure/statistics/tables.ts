import type { Numbers, Table } from '../../../lib/measure/statistics/numbers'
import { calibrateRow } from '../../../lib/runs/policy/calibration-map'
import type { CalibrationMap } from '../../../lib/runs/policy/policy'

/** Creates the weights of rows with equal weight. */
export const createOnes = (count: number): Float64Array => new Float64Array(count).fill(1)

/** Returns a table with the calibrated probabilities of each row. */
export const applyMap = (
  map: CalibrationMap,
  table: Table,
): { values: Numbers; columns: number } => {
  const { columns } = table
  const values = Float64Array.from(table.values)
  for (let start = 0; start < values.length; start += columns)
    calibrateRow(map, values, start, start + columns)
  return { values, columns }
}
