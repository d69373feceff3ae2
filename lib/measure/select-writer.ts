import { type Failure, usage } from '../failure/failure'
import { Entries, encode } from '../json/draft'
import { type Json, membersOf } from '../json/json'
import type { RunRecord } from '../run/decode'
import { reasonOf } from '../runtime/node/error-reason'
import { createRowCheck } from './rows-of-run'
import { createTable } from './select-table'

/** Where selected rows are written. */
export interface SelectSink {
  /** Its name in messages. */
  readonly name: string
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Whether nobody reads any more. D23 */
  readonly isClosed: () => boolean
}

/** Finds the rows of the input of a run, in their order. */
export interface RowReader {
  readonly name: string
  /** The row at an index that is not below the last one, or what is wrong with it. */
  readonly rowAt: (index: number) => Promise<{ readonly row: Json } | { readonly fault: string }>
}

/**
 * Writes the records that are kept, as lines of JSON or as a table, each with its row of the input where `reader` reads
 * it. Records wait until `flush`. R29
 */
export const createWriter = (asTable: boolean, reader: RowReader | undefined, sink: SelectSink) => {
  const table = asTable ? createTable() : undefined
  const isRowOf = createRowCheck()
  let waiting: RunRecord[] = []
  let failure: Failure | undefined

  /** The row of a record; a text is what is wrong with it. */
  const findRow = async ({ index, stateSha256 }: RunRecord): Promise<Json | undefined | string> => {
    if (reader === undefined) return undefined
    const found = await reader.rowAt(index)
    if ('fault' in found) return found.fault
    return isRowOf(found.row, stateSha256)
      ? found.row
      : `the row of index ${index} is not the one that was asked`
  }
  /** The lines that a record becomes; `undefined` where it is faulty. */
  const write = async (record: RunRecord): Promise<Uint8Array | undefined> => {
    const row = await findRow(record)
    if (typeof row === 'string') {
      failure = usage(`read rows: ${reader?.name}: ${row}`)
      return undefined
    }
    if (table === undefined) return Buffer.concat([encode(describeKept(record, row)), newline])
    const added = table.add({ record, row })
    if ('lines' in added) return Buffer.from(added.lines)
    failure = usage(`read run: line ${record.line}: ${added.fault}`)
    return undefined
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
      const line = failure === undefined ? await write(record) : undefined
      if (line === undefined) break
      lines.push(line)
    }
    if (lines.length > 0) await writeLines(Buffer.concat(lines))
  }
  return {
    add: (record: RunRecord): void => {
      waiting.push(record)
    },
    flush,
    finish: async (): Promise<void> => {
      await flush()
      if (table !== undefined && failure === undefined) {
        const lines = table.finish()
        if (lines !== '') await writeLines(Buffer.from(lines))
      }
    },
    failure: (): Failure | undefined => failure,
  }
}

const newline = Buffer.from('\n')

/** A record as it is, or with its row last. */
const describeKept = ({ document }: RunRecord, row: Json | undefined) =>
  row === undefined
    ? document
    : new Entries([
        ...membersOf(document).flatMap(({ key, name, value }) =>
          key === 'row' ? [] : [[name, value] as const],
        ),
        ['row', row],
      ])
