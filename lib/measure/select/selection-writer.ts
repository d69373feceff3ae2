import * as E from 'fp-ts/Either'
import { type Draft, encode } from '../../codec/json/draft'
import { type JsonValue, membersIn, stringIn } from '../../codec/json/json'
import { type Failure, usage } from '../../failure/failure'
import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import type { FindRow } from '../../runs/rows/find-rows'
import { reasonOf } from '../../runtime/node/error-reason'
import { createTable } from './selection-table'

/** The output for selected rows. */
export interface SelectSink {
  /** Its name in messages. */
  readonly name: string
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** True if the reader has closed the output. */
  readonly isClosed: () => boolean
}

/**
 * Writes the records that are kept, as lines of JSON or as a table, each with its row of the input if there is
 * `findRow`. `run` names the run in messages. Records wait until `flush`.
 */
export const createWriter = (
  run: string,
  asTable: { readonly hasLabels: boolean } | undefined,
  findRow: FindRow | undefined,
  sink: SelectSink,
) => {
  const table = asTable && createTable(asTable.hasLabels)
  let waiting: RunRecord[] = []
  let hasKept = false
  let passed: RunRecord | undefined
  let failure: Failure | undefined

  const find = async ({ index, stateSha256, images }: RunRecord) =>
    findRow?.({ index, stateSha256: stringIn(stateSha256), images })
  /** The lines that a record becomes. Fails as finding its row does, or if the table has no column for it. */
  const write = async (record: RunRecord): Promise<E.Either<Failure, Uint8Array>> => {
    const found = await find(record)
    if (found !== undefined && E.isLeft(found)) return found
    const row = found?.right
    if (table === undefined)
      return E.right(Buffer.concat([encode(describeKept(record, row)), newline]))
    const added = table.add({ record, row })
    return 'lines' in added
      ? E.right(Buffer.from(added.lines))
      : E.left(usage(`read run: ${run}: line ${record.line}: ${added.fault}`))
  }
  const writeLines = async (lines: Uint8Array): Promise<void> => {
    try {
      await sink.write(lines)
    } catch (error) {
      failure = usage(`write ${sink.name}: ${reasonOf(error)}`)
    }
  }
  const flush = async (): Promise<void> => {
    const records = waiting
    waiting = []
    const lines: Uint8Array[] = []
    for (const record of records) {
      if (failure !== undefined) break
      const line = await write(record)
      if (E.isLeft(line)) failure = line.left
      else lines.push(line.right)
    }
    if (lines.length > 0) await writeLines(Buffer.concat(lines))
  }
  return {
    add: (record: RunRecord): void => {
      hasKept = true
      waiting.push(record)
    },
    /** Notes a record that is not kept: a table without rows has the columns of the first answered one. */
    pass: (record: RunRecord): void => {
      if (passed === undefined && isAnswered(record.outcome)) passed = record
    },
    flush,
    finish: async (): Promise<void> => {
      await flush()
      if (table === undefined || failure !== undefined) return
      const found = passed === undefined || hasKept ? undefined : await find(passed)
      if (found !== undefined && E.isLeft(found)) {
        failure = found.left
        return
      }
      const lines = table.finish(passed && { record: passed, row: found?.right })
      if (lines !== '') await writeLines(Buffer.from(lines))
    },
    failure: (): Failure | undefined => failure,
  }
}

const newline = Buffer.from('\n')

/** Returns a record unchanged, or with its row as the last member. */
const describeKept = ({ document }: RunRecord, row: JsonValue | undefined) =>
  row === undefined
    ? document
    : new Map<string, Draft>([
        ...[...membersIn(document)].filter(([name]) => name !== 'row'),
        ['row', row],
      ])
