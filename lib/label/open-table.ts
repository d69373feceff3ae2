import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import { countTableRows, type EditableTable, parseEditableTable, readRow } from './editable-table'

/** A table to label and the file for its labels. */
export interface OpenedTable {
  readonly table: EditableTable
  readonly path: string
  /** False if the file will be created with the first answer. */
  readonly exists: boolean
}

/**
 * Opens a table that `svc sample` wrote. With `output`, the labels go to that file and the input is left unchanged; if the
 * file exists, it must be the same table. Fails with a usage error.
 */
export const openTable = async (
  files: Pick<Files, 'read'>,
  input: string,
  output: string | undefined,
  questions: ReadonlyArray<string>,
): Promise<E.Either<Failure, OpenedTable>> => {
  const bytes = await readTable(files, input)
  if (E.isLeft(bytes)) return bytes
  const table = parseTable(input, bytes.right, questions)
  if (E.isLeft(table)) return table
  if (output === undefined || output === input)
    return E.right({ table: table.right, path: input, exists: true })

  const outputBytes = await readTable(files, output)
  if (E.isLeft(outputBytes))
    return outputBytes.left.isAbsent
      ? E.right({ table: table.right, path: output, exists: false })
      : outputBytes
  const earlier = parseTable(output, outputBytes.right, questions)
  if (E.isLeft(earlier)) return earlier
  if (!hasSameRows(table.right, earlier.right, questions))
    return E.left(
      usage(`${output} exists and does not have the rows of ${input}: name another file`),
    )
  return E.right({ table: earlier.right, path: output, exists: true })
}

/** A usage error that also says if the file is missing. */
type ReadFailure = Failure & { readonly isAbsent?: boolean }

const readTable = async (
  files: Pick<Files, 'read'>,
  path: string,
): Promise<E.Either<ReadFailure, Buffer>> => {
  try {
    const bytes = Buffer.from(await files.read(path))
    if (isUtf8(bytes)) return E.right(bytes)
    return E.left(usage(`read table: ${path}: it is not UTF-8: save it as "CSV UTF-8"`))
  } catch (error) {
    const failure = usage(`read table: ${path}: ${reasonOf(error)}`)
    return E.left({ ...failure, isAbsent: codeOf(error) === 'ENOENT' })
  }
}

const parseTable = (
  path: string,
  bytes: Buffer,
  questions: ReadonlyArray<string>,
): E.Either<Failure, EditableTable> => {
  const table = parseEditableTable(bytes)
  if (E.isLeft(table)) return E.left(usage(`read table: ${path}: ${table.left}`))
  const labelColumns = questions.map((id) => `${id}.label`)
  const missing = labelColumns.find((column) => !table.right.columns.includes(column))
  if (missing === undefined) return table
  const sampled = `svc sample -o table.csv writes index,id,p,…,${labelColumns.join(',')}`
  return E.left(usage(`read table: ${path}: it has no column "${missing}" to fill in; ${sampled}`))
}

/** Compares two tables without the columns that a person fills in. */
const hasSameRows = (
  a: EditableTable,
  b: EditableTable,
  questions: ReadonlyArray<string>,
): boolean => {
  if (countTableRows(a) !== countTableRows(b)) return false
  const describe = (table: EditableTable, row: number): string => {
    const values = readRow(table, row)
    for (const id of questions)
      for (const column of [`${id}.label`, `${id}.again`, `${id}.note`]) values.delete(column)
    return JSON.stringify([...values])
  }
  for (let row = 0; row < countTableRows(a); row++)
    if (describe(a, row) !== describe(b, row)) return false
  return true
}
