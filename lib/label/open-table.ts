import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import { countTableRows, type EditableTable, parseEditableTable, readRow } from './editable-table'
import { listLabelColumns } from './label-steps'

/** A table to label and the file for its labels. */
export interface OpenedTable {
  readonly table: EditableTable
  readonly path: string
  /** False if the file will be created with the first answer. */
  readonly exists: boolean
}

export interface OpenTableOptions {
  readonly input: string
  readonly output: string | undefined
  readonly questionIds: ReadonlyArray<string>
}

/**
 * Opens a table that `svc sample` wrote. With `output`, the labels go to that file and the input is left unchanged; if the
 * file exists, it must be the same table. Fails with a usage error.
 */
export const openTable = async (
  files: Pick<Files, 'read'>,
  { input, output, questionIds }: OpenTableOptions,
): Promise<E.Either<Failure, OpenedTable>> => {
  const table = await readTable(files, input, questionIds)
  if (E.isLeft(table)) return table
  if (output === undefined || output === input)
    return E.right({ table: table.right, path: input, exists: true })
  if (await isAbsent(files, output))
    return E.right({ table: table.right, path: output, exists: false })
  const outputTable = await readTable(files, output, questionIds)
  if (E.isLeft(outputTable)) return outputTable
  if (hasSameRows(table.right, outputTable.right, questionIds))
    return E.right({ table: outputTable.right, path: output, exists: true })
  return E.left(usage(`${output} exists and does not have the rows of ${input}: name another file`))
}

const isAbsent = async (files: Pick<Files, 'read'>, path: string): Promise<boolean> => {
  try {
    await files.read(path, 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ENOENT'
  }
}

const readTable = async (
  files: Pick<Files, 'read'>,
  path: string,
  questionIds: ReadonlyArray<string>,
): Promise<E.Either<Failure, EditableTable>> => {
  const fail = (reason: string) => E.left(usage(`read table: ${path}: ${reason}`))
  let bytes: Buffer
  try {
    bytes = Buffer.from(await files.read(path))
  } catch (error) {
    return fail(reasonOf(error))
  }
  if (!isUtf8(bytes)) return fail('it is not UTF-8: save it as "CSV UTF-8"')
  const table = parseEditableTable(bytes)
  if (E.isLeft(table)) return fail(table.left)
  const labelColumns = questionIds.map((id) => `${id}.label`)
  const missingColumn = labelColumns.find((column) => !table.right.columns.includes(column))
  if (missingColumn === undefined) return table
  const hint = `svc sample -o table.csv writes index,id,p,…,${labelColumns.join(',')}`
  return fail(`it has no column "${missingColumn}" to fill in; ${hint}`)
}

/** Compares two tables without the columns that a person fills in. */
const hasSameRows = (
  a: EditableTable,
  b: EditableTable,
  questionIds: ReadonlyArray<string>,
): boolean => {
  if (countTableRows(a) !== countTableRows(b)) return false
  const labelColumns = questionIds.flatMap(listLabelColumns)
  const isUnfilled = (column: string): boolean => !labelColumns.includes(column)
  const [columnsOfA, columnsOfB] = [a.columns.filter(isUnfilled), b.columns.filter(isUnfilled)]
  for (let row = 0; row < countTableRows(a); row++) {
    const valuesOfA = JSON.stringify([...readRow(a, row, columnsOfA)])
    if (JSON.stringify([...readRow(b, row, columnsOfB)]) !== valuesOfA) return false
  }
  return true
}
