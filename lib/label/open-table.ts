import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import { type EditedLabelTable, parseLabelTable } from './label-table'

/** A table to label, the file that it is written to, and the current text of that file. */
export interface OpenedTable {
  readonly path: string
  readonly table: EditedLabelTable
  /** `undefined` if the file does not exist yet. */
  readonly text: string | undefined
}

/**
 * Opens the table that a person fills in. With `output`, the labels go to that file and the input is left unchanged;
 * if the file exists, it must be the same table. Fails with a usage error.
 */
export const openTable = async (
  files: Pick<Files, 'read'>,
  input: string,
  output: string | undefined,
  questions: ReadonlyArray<string>,
): Promise<E.Either<Failure, OpenedTable>> => {
  const text = await readText(files, input)
  if (E.isLeft(text)) return text
  const table = parseTable(input, text.right, questions)
  if (E.isLeft(table)) return table
  if (output === undefined || output === input)
    return E.right({ path: input, table: table.right, text: text.right })
  return openOutput(files, table.right, input, output, questions)
}

const openOutput = async (
  files: Pick<Files, 'read'>,
  given: EditedLabelTable,
  input: string,
  output: string,
  questions: ReadonlyArray<string>,
): Promise<E.Either<Failure, OpenedTable>> => {
  const text = await readText(files, output)
  if (E.isLeft(text))
    return text.left.isAbsent ? E.right({ path: output, table: given, text: undefined }) : text
  const table = parseTable(output, text.right, questions)
  if (E.isLeft(table)) return table
  if (!haveSameRows(given, table.right))
    return E.left(
      usage(`${output} exists and does not have the rows of ${input}: name another file`),
    )
  return E.right({ path: output, table: table.right, text: text.right })
}

/** A usage error that also says if the file is missing. */
type ReadFailure = Failure & { readonly isAbsent?: boolean }

const readText = async (
  files: Pick<Files, 'read'>,
  path: string,
): Promise<E.Either<ReadFailure, string>> => {
  try {
    const bytes = Buffer.from(await files.read(path))
    if (isUtf8(bytes)) return E.right(bytes.toString('utf8'))
    return E.left(usage(`read table: ${path}: it is not UTF-8: save it as "CSV UTF-8"`))
  } catch (error) {
    const failure = usage(`read table: ${path}: ${reasonOf(error)}`)
    return E.left({ ...failure, isAbsent: codeOf(error) === 'ENOENT' })
  }
}

const parseTable = (
  path: string,
  text: string,
  questions: ReadonlyArray<string>,
): E.Either<Failure, EditedLabelTable> => {
  const table = parseLabelTable(text, questions)
  return 'fault' in table ? E.left(usage(`read table: ${path}: ${table.fault}`)) : E.right(table)
}

const haveSameRows = (a: EditedLabelTable, b: EditedLabelTable): boolean => {
  if (a.rows !== b.rows) return false
  for (let row = 0; row < a.rows; row++) if (a.describeRow(row) !== b.describeRow(row)) return false
  return true
}
