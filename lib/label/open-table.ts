import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import { countTableRows, type EditableTable, getRow, parseEditableTable } from './editable-table'
import { listLabelColumns } from './label-steps'

/** A table to label. */
export interface OpenedTable {
  readonly table: EditableTable
  /** The file for the labels. */
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
 * Opens a table that `svc sample` wrote. With `output`, the labels go to that file, and `input` stays unchanged. If that file
 * exists, it must be the same table. Fails with a usage error, for example if a column for labels is missing.
 */
export const openTable = async (
  files: Pick<Files, 'read'>,
  { input, output, questionIds }: OpenTableOptions,
): Promise<E.Either<Failure, OpenedTable>> => {
  const inputTable = await readTable(files, input, questionIds)
  if (E.isLeft(inputTable)) return inputTable
  if (output === undefined || output === input)
    return E.right({ table: inputTable.right, path: input, exists: true })
  if (await isAbsent(files, output))
    return E.right({ table: inputTable.right, path: output, exists: false })
  const outputTable = await readTable(files, output, questionIds)
  if (E.isLeft(outputTable)) return outputTable
  if (hasSameRows(inputTable.right, outputTable.right, questionIds))
    return E.right({ table: outputTable.right, path: output, exists: true })
  return E.left(usage(`${output} exists and does not have the rows of ${input}: name another file`))
}

const isAbsent = async (files: Pick<Files, 'read'>, path: string): Promise<boolean> => {
  try {
    // Reads one byte at most.
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
  const failWith = (reason: string) => E.left(usage(`read table: ${path}: ${reason}`))
  let bytes: Buffer
  try {
    bytes = Buffer.from(await files.read(path))
  } catch (error) {
    return failWith(reasonOf(error))
  }
  if (!isUtf8(bytes)) return failWith('it is not UTF-8: save it as "CSV UTF-8"')
  const table = parseEditableTable(bytes)
  if (E.isLeft(table)) return failWith(table.left)
  const labelColumns = questionIds.map((id) => `${id}.label`)
  const missingColumn = labelColumns.find((column) => !table.right.columns.includes(column))
  if (missingColumn === undefined) return table
  const hint = `svc sample -o table.csv writes index,id,p,…,${labelColumns.join(',')}`
  return failWith(`it has no column "${missingColumn}" to fill in; ${hint}`)
}

/** Compares two tables without the columns that a person fills in. */
const hasSameRows = (
  first: EditableTable,
  second: EditableTable,
  questionIds: ReadonlyArray<string>,
): boolean => {
  if (countTableRows(first) !== countTableRows(second)) return false
  const labelColumns = questionIds.flatMap(listLabelColumns)
  const isCompared = (column: string): boolean => !labelColumns.includes(column)
  const firstColumns = first.columns.filter(isCompared)
  const secondColumns = second.columns.filter(isCompared)
  for (let row = 0; row < countTableRows(first); row++) {
    // JSON compares the names, the values and their order at once.
    const firstRow = JSON.stringify([...getRow(first, row, firstColumns)])
    const secondRow = JSON.stringify([...getRow(second, row, secondColumns)])
    if (firstRow !== secondRow) return false
  }
  return true
}
