import * as E from 'fp-ts/Either'
import { type Draft, encode } from '../../codec/json/draft'
import { type JsonValue, membersIn } from '../../codec/json/json'
import { type Failure, usage } from '../../failure/failure'
import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import type { FindRow } from '../../runs/rows/find-rows'
import { reasonOf } from '../../runtime/node/error-reason'
import { createSelectionTable, type SelectedRecord } from './selection-table'

/** The output for selected records: stdout or a file. */
export interface SelectionOutput {
  /** The name of the output in messages. */
  readonly name: string
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Returns `true` if the reader of a pipe has closed it. */
  readonly isClosed: () => boolean
}

interface SelectionWriterOptions {
  /** The name of the run in messages. */
  readonly runName: string
  /** Writes a table if passed, otherwise JSONL. `hasLabels` is true if the table needs columns for labels. */
  readonly tableOptions: { readonly hasLabels: boolean } | undefined
  /** Finds the row of the input for a record, which is added to the record; `undefined` to add no rows. */
  readonly findRow: FindRow | undefined
  readonly output: SelectionOutput
}

/** Creates a writer of selected records. `flush` and `finish` write the records that were added. */
export const createSelectionWriter = (options: SelectionWriterOptions) => {
  const { runName, tableOptions, findRow, output } = options
  const table = tableOptions && createSelectionTable(tableOptions.hasLabels)
  let pending: RunRecord[] = []
  let hasSelected = false
  let firstUnselected: RunRecord | undefined
  let failure: Failure | undefined

  const findInputRow = async (
    record: RunRecord,
  ): Promise<E.Either<Failure, JsonValue | undefined>> =>
    findRow === undefined ? E.right(undefined) : findRow(record)
  /** Formats the lines of a record. Fails if its row is not found, or if the table has no column for a field or answer. */
  const formatRecord = async (record: RunRecord): Promise<E.Either<Failure, Uint8Array>> => {
    const row = await findInputRow(record)
    if (E.isLeft(row)) return row
    if (table === undefined)
      return E.right(Buffer.concat([encode(addRow(record, row.right)), Buffer.from('\n')]))
    const lines = table.add({ record, row: row.right })
    return E.isLeft(lines)
      ? E.left(usage(`read run: ${runName}: line ${record.line}: ${lines.left}`))
      : E.right(Buffer.from(lines.right))
  }
  /** Writes lines. Sets `failure` if the output cannot be written. */
  const writeLines = async (lines: Uint8Array): Promise<void> => {
    try {
      await output.write(lines)
    } catch (error) {
      failure = usage(`write ${output.name}: ${reasonOf(error)}`)
    }
  }
  const flush = async (): Promise<Failure | undefined> => {
    const records = pending
    pending = []
    const lines: Uint8Array[] = []
    for (const record of records) {
      if (failure !== undefined) break
      const line = await formatRecord(record)
      if (E.isLeft(line)) failure = line.left
      else lines.push(line.right)
    }
    if (lines.length > 0) await writeLines(Buffer.concat(lines))
    return failure
  }
  const finish = async (): Promise<Failure | undefined> => {
    await flush()
    if (table === undefined || failure !== undefined) return failure
    let unselected: SelectedRecord | undefined
    if (firstUnselected !== undefined && !hasSelected) {
      const row = await findInputRow(firstUnselected)
      if (E.isLeft(row)) return row.left
      unselected = { record: firstUnselected, row: row.right }
    }
    const lines = table.finish(unselected)
    if (lines !== '') await writeLines(Buffer.from(lines))
    return failure
  }
  return {
    add: (record: RunRecord): void => {
      hasSelected = true
      pending.push(record)
    },
    /** Skips a record. The first answered one that is skipped determines the columns of a table without rows. */
    skip: (record: RunRecord): void => {
      if (firstUnselected === undefined && isAnswered(record.outcome)) firstUnselected = record
    },
    /**
     * Writes the records added so far. If one of them cannot be formatted, writes those before it. Resolves with the first failure
     * to find, format or write a record, if any.
     */
    flush,
    /** Writes the remaining records and, for a table without an answered record, its header. Resolves like `flush`. */
    finish,
  }
}

/** Returns the document of a record with its row as the last member. The document stays unchanged without a row. */
const addRow = ({ document }: RunRecord, row: JsonValue | undefined): Draft => {
  if (row === undefined) return document
  const members = new Map<string, Draft>(membersIn(document))
  members.delete('row')
  members.set('row', row)
  return members
}
