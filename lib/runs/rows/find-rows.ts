import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { createImageState } from '../../codec/images'
import { type JsonValue, memberIn, membersIn } from '../../codec/json/json'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Output, Runtime } from '../../runtime/runtime'
import { sanitize } from '../../text/sanitize'
import type { RunRecord } from '../record/decode'
import { openSource, type StreamSource } from '../record/lines'
import { digestState } from '../record/record'
import type { TableColumn } from '../tables/header'
import { describeSpanningCells } from '../tables/table-rows'
import { decideForm, type FormFlags, type RowOptions } from './form'
import { noFields, type Row, replacePathsByNames } from './row'
import { type OpenedRows, openRows } from './rows'

/** The members of a record by which its row is found in the input. A record without `images` had none. */
type RecordKey = Pick<RunRecord, 'index' | 'stateSha256'> & Partial<Pick<RunRecord, 'images'>>

/** Finds the row of a record. Fails with a usage error if the input has no row of this index, or if that row has another state. */
export type FindRow = (record: RecordKey) => Promise<E.Either<Failure, JsonValue>>

/** Finds the rows of records in the input of their run. */
export interface RowFinder {
  readonly find: FindRow
  /**
   * Finds the state of a record: the part of its row that was sent. Fails like `find`, and if the record has no digest, because only the
   * digest says which part that was. Call it with ascending indexes.
   */
  readonly findState: FindRow
  /** Returns the columns of the input after the first call of `find`; `undefined` if the input is no table. */
  readonly columns: () => ReadonlyArray<TableColumn> | undefined
  /** Returns a line for stderr about cells that probably hold several rows; `undefined` if there are none so far. */
  readonly remark: () => string | undefined
}

/**
 * Creates a function that finds the rows of records in the input of their run. Call it with ascending indexes, because only one row
 * is in memory. The first call starts to read the input.
 */
export const createRowFinder = (
  runtime: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
  path: string,
  formFlags: FormFlags,
): RowFinder => {
  const source = openSource(path, runtime)
  const { name, signal } = source
  const { readNext, opened } = createRowReader(source, path, formFlags)
  const matchState = createRowMatcher()
  let currentRow: Row | undefined
  const fail = (reason: string) => E.left(usage(`read rows: ${name}: ${reason}`))
  /** Finds the row of a record, and the state that was derived from it. */
  const findMatch = async (
    record: RecordKey,
  ): Promise<E.Either<Failure, { readonly row: JsonValue; readonly state: JsonValue }>> => {
    const { index } = record
    while (currentRow === undefined || currentRow.index < index) {
      const next = await readNext()
      if (E.isLeft(next)) return next
      if (next.right === undefined) return fail(`it ends before the row of index ${index}`)
      currentRow = next.right
    }
    if (currentRow.index > index)
      return fail(`index ${index} comes after ${currentRow.index}; the run must be sorted by index`)
    // The row was read without roles for its fields, so its state is the whole row. The state of the record may be a part of it.
    const { state: wholeRow, line, fault } = currentRow
    if (wholeRow === undefined) return fail(`line ${line}: ${fault}`)
    const matched = matchState(wholeRow, record)
    return matched === undefined
      ? fail(`the row of index ${index} is not the one that was asked`)
      : E.right({ row: wholeRow, state: matched })
  }
  const findSafely = (record: RecordKey) =>
    findMatch(record).catch((error: unknown) =>
      signal.aborted ? E.left(interrupted) : fail(reasonOf(error)),
    )
  return {
    find: async (record) => {
      const match = await findSafely(record)
      return E.isLeft(match) ? match : E.right(match.right.row)
    },
    findState: async (record) => {
      if (record.stateSha256 === undefined)
        return fail(`the record of index ${record.index} has no "state_sha256"`)
      const match = await findSafely(record)
      return E.isLeft(match) ? match : E.right(match.right.state)
    },
    columns: () => opened()?.header?.columns,
    remark: () => describeSpanningCells(name, opened()?.countSpanningCells() ?? 0),
  }
}

/** Creates a function that reads the next row; `undefined` at the end. The first call opens the input. */
const createRowReader = (source: StreamSource, path: string, formFlags: FormFlags) => {
  let input: OpenedRows | undefined
  const readNext = async (): Promise<E.Either<Failure, Row | undefined>> => {
    if (input === undefined) {
      const form = decideForm(path, formFlags)
      if (E.isLeft(form)) return form
      const opened = await openRows({ ...source, ...form.right, fields: noFields })
      if (E.isLeft(opened)) return opened
      input = opened.right
    }
    const next = await input.rows.next()
    // After an interrupt the last row may be incomplete.
    if (source.signal.aborted) return E.left(interrupted)
    return E.right(next.done ? undefined : next.value)
  }
  return { readNext, opened: () => input }
}

/** Reads the rows of records from the input of their run, by index. Without `--rows`, resolves with an empty map. Fails as `FindRow` does. */
export const readRowsOfRecords =
  (
    runtime: Pick<Runtime, 'stdin' | 'files' | 'signal' | 'stderr'>,
    flags: Omit<RowOptions, 'input'>,
    records: ReadonlyArray<RecordKey>,
  ): TE.TaskEither<Failure, ReadonlyMap<number, JsonValue>> =>
  async () => {
    const rows = new Map<number, JsonValue>()
    const { rows: path } = flags
    if (path === undefined) return E.right(rows)
    const finder = createRowFinder(runtime, path, flags)
    for (const record of [...records].sort((a, b) => a.index - b.index)) {
      const row = await finder.find(record)
      if (E.isLeft(row)) return row
      rows.set(record.index, row.right)
    }
    await writeRemark(runtime.stderr, finder.remark())
    return E.right(rows)
  }

/** Writes a line about the input to stderr, if there is one. */
export const writeRemark = async (stderr: Output, remark: string | undefined): Promise<void> => {
  if (remark !== undefined) await stderr.write(`${sanitize(remark)}\n`)
}

/** Derives the state, the JSON that was sent to the service, from a row; `undefined` if the row lacks the field that is the state. */
type DeriveState = (row: JsonValue) => JsonValue | undefined

/** svc tries all pairs of label fields only in rows with at most this number of fields: 64 fields have 2016 pairs. */
const maxFieldsForPairs = 64

/**
 * Creates a function that returns the state of a record if it was derived from a row, else `undefined`. It compares digests, because
 * the run may not contain the state. The run also does not say how the state was derived: it may be the whole row, one of its fields,
 * or the row without one or two label fields. The function tries these derivations until one matches. All later rows must match the
 * same one. For a record without a digest, it returns any row.
 */
const createRowMatcher = () => {
  let knownDerivation: DeriveState | undefined
  return (row: JsonValue, record: Omit<RecordKey, 'index'>): JsonValue | undefined => {
    // A record without a digest cannot be checked.
    if (record.stateSha256 === undefined) return row
    if (knownDerivation !== undefined) return matchDigest(knownDerivation(row), record)
    for (const derive of listDerivations(row)) {
      const state = matchDigest(derive(row), record)
      if (state === undefined) continue
      knownDerivation = derive
      return state
    }
    return undefined
  }
}

/**
 * Returns the state that has the digest of a record, with the names of images instead of their paths; `undefined` if it has another
 * digest.
 */
const matchDigest = (
  state: JsonValue | undefined,
  { stateSha256, images = [] }: Omit<RecordKey, 'index'>,
): JsonValue | undefined => {
  if (state === undefined) return undefined
  const names = images.map(({ name }) => name)
  const candidates =
    names.length === 0
      ? [state]
      : [
          // Without --state-field, the state was the row.
          replacePathsByNames(state, names),
          // With --state-field, the state was made of that field and the names of the images.
          createImageState(state, images),
        ]
  return candidates.find((candidate) => digestState(candidate, images) === stateSha256)
}

/** Lists the possible derivations of a state from `row`, the most likely first. They can be applied to other rows too. */
function* listDerivations(row: JsonValue): Generator<DeriveState> {
  yield (anyRow) => anyRow
  if (!(row instanceof Map)) return
  const names = [...row.keys()]
  for (const name of names) yield (anyRow) => memberIn(anyRow, name)
  for (const name of names) yield (anyRow) => removeFields(anyRow, [name])
  if (names.length > maxFieldsForPairs) return
  for (const [position, first] of names.entries())
    for (const second of names.slice(position + 1))
      yield (anyRow) => removeFields(anyRow, [first, second])
}

const removeFields = (row: JsonValue, names: ReadonlyArray<string>): JsonValue =>
  new Map([...membersIn(row)].filter(([name]) => !names.includes(name)))
