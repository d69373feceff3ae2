import { plainText } from '../../codec/json/draft'
import type { Units } from '../statistics/units'
import type { TrainingRow } from './training-rows'

/**
 * Divides rows into units that must not be divided between folds: rows of one group, and rows of equal states, because a model that has
 * seen a text knows its label.
 */
export const createFoldUnits = (
  rows: ReadonlyArray<Pick<TrainingRow, 'group' | 'stateSha256'>>,
): Units => {
  /** Each row, or the earlier row of the same unit that it is joined to. */
  const parents = new Uint32Array(rows.length).map((_, row) => row)
  const findRoot = (row: number): number => {
    let root = row
    while (parents[root] !== root) root = parents[root] as number
    // Later searches are short.
    for (let next = row; next !== root; ) {
      const parent = parents[next] as number
      parents[next] = root
      next = parent
    }
    return root
  }
  const firstRowOfKey = new Map<string, number>()
  const join = (key: string, row: number): void => {
    const first = firstRowOfKey.get(key)
    if (first === undefined) firstRowOfKey.set(key, row)
    else parents[findRoot(row)] = findRoot(first)
  }
  for (const [row, { group, stateSha256 }] of rows.entries()) {
    if (group !== undefined) join(`group ${plainText(group)}`, row)
    if (stateSha256 !== undefined) join(`state ${stateSha256}`, row)
  }
  const unitOfRoot = new Map<number, number>()
  const unitOfRow = new Uint32Array(rows.length)
  for (let row = 0; row < rows.length; row++) {
    const root = findRoot(row)
    const unit = unitOfRoot.get(root) ?? unitOfRoot.size
    unitOfRoot.set(root, unit)
    unitOfRow[row] = unit
  }
  return { count: unitOfRoot.size, unitOfRow, isGrouped: unitOfRoot.size < rows.length }
}
