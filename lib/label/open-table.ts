import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import type { TableForm } from '../runs/rows/form'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import {
  countTableRows,
  type EditableTable,
  getRow,
  lineOfRow,
  parseEditableTable,
} from './editable-table'
import { listLabelColumns, readCellLabel } from './label-steps'
import { describeRow } from './page-content'
import type { PageField, PageQuestion } from './protocol'

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
  readonly questions: ReadonlyArray<PageQuestion>
  readonly form: TableForm
  /** Columns, or members of JSON cells, that hold the path of an image. */
  readonly imageFields: ReadonlyArray<string>
}

/**
 * Opens a table that `svc sample` wrote. With `output`, the labels go to that file, and `input` stays unchanged. If that file
 * exists, it must be the same table. Fails with a usage error, for example if a column for labels is missing.
 */
export const openTable = async (
  files: Pick<Files, 'read'>,
  options: OpenTableOptions,
): Promise<E.Either<Failure, OpenedTable>> => {
  const { input, output, questions } = options
  const inputTable = await readTable(files, input, options)
  if (E.isLeft(inputTable)) return inputTable
  if (output === undefined || output === input)
    return E.right({ table: inputTable.right, path: input, exists: true })
  if (await isAbsent(files, output))
    return E.right({ table: inputTable.right, path: output, exists: false })
  const outputTable = await readTable(files, output, options)
  if (E.isLeft(outputTable)) return outputTable
  if (hasSameRows(inputTable.right, outputTable.right, questions))
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
  { questions, form, imageFields }: OpenTableOptions,
): Promise<E.Either<Failure, EditableTable>> => {
  const failWith = (reason: string) => E.left(usage(`read table: ${path}: ${reason}`))
  let bytes: Buffer
  try {
    bytes = Buffer.from(await files.read(path))
  } catch (error) {
    return failWith(reasonOf(error))
  }
  const table = parseEditableTable(bytes, form)
  if (E.isLeft(table)) return failWith(table.left)
  const fault =
    findColumnFault(table.right, questions) ??
    findImageFieldFault(table.right, questions, imageFields) ??
    findLabelFault(table.right, questions)
  return fault === undefined ? table : failWith(fault)
}

/** Returns a message if a table lacks a column for labels, or the columns by which other commands find its rows in the run. */
const findColumnFault = (
  { columns }: EditableTable,
  questions: ReadonlyArray<PageQuestion>,
): string | undefined => {
  const labelColumns = questions.map(({ id }) => `${id}.label`)
  const hint = `svc sample -o table.csv writes index,id,p,…,${labelColumns.join(',')}`
  const missingColumn = labelColumns.find((column) => !columns.includes(column))
  if (missingColumn !== undefined) return `it has no column "${missingColumn}" to fill in; ${hint}`
  return columns.includes('index') || columns.includes('id')
    ? undefined
    : `it has no column "index" or "id", by which svc eval finds the rows of a run; ${hint}`
}

/** Returns a message about an image field that no row has. */
const findImageFieldFault = (
  table: EditableTable,
  questions: ReadonlyArray<PageQuestion>,
  imageFields: ReadonlyArray<string>,
): string | undefined => {
  const rows = Array.from({ length: countTableRows(table) }, (_, row) => getRow(table, row))
  const missingField = imageFields.find(
    (name) =>
      !table.columns.includes(name) &&
      !rows.some((row) => describeRow(row, questions, [name]).some(isImage)),
  )
  return missingField === undefined
    ? undefined
    : `--image-field "${missingField}": no row has this field; the columns are ${table.columns.join(', ')}`
}

const isImage = ({ format }: PageField): boolean => format === 'image'

/** Returns a message, with its line, about the first cell with a label that its question does not take. */
const findLabelFault = (
  table: EditableTable,
  questions: ReadonlyArray<PageQuestion>,
): string | undefined => {
  for (let row = 0; row < countTableRows(table); row++)
    for (const question of questions)
      for (const field of [`${question.id}.label`, `${question.id}.again`]) {
        const cell = getRow(table, row, [field]).get(field) ?? ''
        const label = readCellLabel(cell, field, question)
        if (E.isLeft(label)) return `line ${lineOfRow(table, row)}: ${label.left}`
      }
  return undefined
}

/** Compares two tables without the columns that a person fills in. */
const hasSameRows = (
  first: EditableTable,
  second: EditableTable,
  questions: ReadonlyArray<PageQuestion>,
): boolean => {
  if (countTableRows(first) !== countTableRows(second)) return false
  const labelColumns = questions.flatMap(({ id }) => listLabelColumns(id))
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
