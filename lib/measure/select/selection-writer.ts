import * as E from 'fp-ts/Either'
import { type Draft, printEscaped } from '../../codec/json/draft'
import { type JsonValue, membersIn } from '../../codec/json/json'
import { type Failure, usage } from '../../failure/failure'
import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import type { RowFinder } from '../../runs/rows/find-rows'
import { reasonOf } from '../../runtime/node/error-reason'
import type { SelectedRecord, SelectionTable } from './selection-table'

/** The output for selected records: stdout or a file. */
export interface SelectionOutput {
  /** The name of the output in messages. */
  readonly name: string
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Returns `true` if the reader of a pipe has closed it. */
  readonly isClosed: () => boolean
}

/** Writes selected records, and with them their rows of the input. */
export class SelectionWriter {
  private pending: RunRecord[] = []
  private hasSelected = false
  /** The first answered record that was skipped. */
  private firstSkipped: RunRecord | undefined
  private failure: Failure | undefined

  /**
   * `runName` is the name of the run in messages. Without a table, the records are written as JSONL. Without `rowFinder`, no rows are
   * added.
   */
  constructor(
    private readonly runName: string,
    private readonly table: SelectionTable | undefined,
    private readonly rowFinder: RowFinder | undefined,
    private readonly output: SelectionOutput,
  ) {}

  /** Adds a selected record, to be written by `flush` or `finish`. */
  add(record: RunRecord): void {
    this.hasSelected = true
    this.pending.push(record)
  }

  /** Skips a record. If no record is added, the first answered one that was skipped gives a table its header. */
  skip(record: RunRecord): void {
    if (isAnswered(record.outcome)) this.firstSkipped ??= record
  }

  /**
   * Writes the records added so far. If one of them cannot be formatted, writes those before it. Resolves with the first failure
   * to find, format or write a record, if any.
   */
  async flush(): Promise<Failure | undefined> {
    const records = this.pending
    this.pending = []
    const lines: Uint8Array[] = []
    for (const record of records) {
      if (this.failure !== undefined) break
      const line = await this.formatRecord(record)
      if (E.isLeft(line)) this.failure = line.left
      else lines.push(line.right)
    }
    if (lines.length > 0) await this.writeLines(Buffer.concat(lines))
    return this.failure
  }

  /**
   * Writes the remaining records, and what a table without an answered record still lacks: its header, and the lines of the unanswered
   * ones. Resolves with the first failure, if any.
   */
  async finish(): Promise<Failure | undefined> {
    await this.flush()
    if (this.table === undefined || this.failure !== undefined) return this.failure
    let skipped: SelectedRecord | undefined
    if (this.firstSkipped !== undefined && !this.hasSelected) {
      const row = await this.findInputRow(this.firstSkipped)
      if (E.isLeft(row)) return row.left
      skipped = this.join(this.firstSkipped, row.right)
    }
    const lines = this.table.finish(skipped)
    if (lines !== '') await this.writeLines(Buffer.from(lines))
    return this.failure
  }

  private async findInputRow(record: RunRecord): Promise<E.Either<Failure, JsonValue | undefined>> {
    return this.rowFinder === undefined ? E.right(undefined) : this.rowFinder.find(record)
  }

  private join(record: RunRecord, row: JsonValue | undefined): SelectedRecord {
    return { record, row, inputColumns: this.rowFinder?.columns() }
  }

  /** Formats the lines of a record. Fails if its row is not found, or if the table has no column for a field or answer. */
  private async formatRecord(record: RunRecord): Promise<E.Either<Failure, Uint8Array>> {
    const row = await this.findInputRow(record)
    if (E.isLeft(row)) return row
    if (this.table === undefined) return E.right(encodeLine(addRow(record, row.right)))
    const lines = this.table.add(this.join(record, row.right))
    return E.isLeft(lines)
      ? E.left(usage(`read run: ${this.runName}: line ${record.line}: ${lines.left}`))
      : E.right(Buffer.from(lines.right))
  }

  /** Writes lines. Sets `failure` if the output cannot be written. */
  private async writeLines(lines: Uint8Array): Promise<void> {
    try {
      await this.output.write(lines)
    } catch (error) {
      this.failure = usage(`write ${this.output.name}: ${reasonOf(error)}`)
    }
  }
}

/**
 * Encodes a line of JSON, with its newline. Commands of CI systems in its texts are escaped, because stdout may be the log of a job. The
 * values of the texts stay the same.
 */
const encodeLine = (document: Draft): Buffer => {
  const isIndented = false
  return Buffer.concat([printEscaped(document, isIndented), newline])
}

const newline = Buffer.from('\n')

/** Returns the document of a record with its row as the last member. The document stays unchanged without a row. */
const addRow = ({ document }: RunRecord, row: JsonValue | undefined): Draft => {
  if (row === undefined) return document
  const members = new Map<string, Draft>(membersIn(document))
  members.delete('row')
  members.set('row', row)
  return members
}
