import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { createImageState } from '../../codec/images'
import { type JsonValue, memberIn, membersIn } from '../../codec/json/json'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import type { RunRecord } from '../record/decode'
import { stateDigest } from '../record/record'
import { openSource } from '../record/source'
import { decideForm, type GivenForm, type RowOptions } from './form'
import { nameImages, noFields, type Row } from './row'
import { openRows } from './rows'

/** A record of a run whose row is wanted. */
interface Wanted {
  readonly index: number
  readonly stateSha256: string | undefined
  readonly images?: RunRecord['images'] | undefined
}

/** Finds the row of a record. Fails with a usage error where there is none, or where it is not the one that was asked. */
export type FindRow = (record: Wanted) => Promise<E.Either<Failure, JsonValue>>

/**
 * Opens the input of a run to find the rows of records, which must come in the order of their indexes, so that no more
 * than one row is held. Nothing is read before the first row is wanted.
 */
export const createRowFinder = (
  runtime: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
  path: string,
  given: GivenForm,
): FindRow => {
  const source = openSource(path, runtime)
  const { name, signal } = source
  const isRowOf = createRowCheck()
  let rows: AsyncGenerator<Row> | undefined
  let current: Row | undefined
  const fail = (why: string) => E.left(usage(`read rows: ${name}: ${why}`))
  const find: FindRow = async ({ index, stateSha256, images }) => {
    if (rows === undefined) {
      const form = decideForm(path, given)
      if (E.isLeft(form)) return form
      const opened = await openRows({ ...source, ...form.right, fields: noFields })()
      if (E.isLeft(opened)) return opened
      rows = opened.right
    }
    if (current !== undefined && current.index > index)
      return fail(`index ${index} comes after ${current.index}; the run must be sorted by index`)
    while (current === undefined || current.index < index) {
      const next = await rows.next()
      // An interrupt ends the input, perhaps in the middle of a row.
      if (signal.aborted) return E.left(interrupted)
      if (next.done) return fail(`it ends before the row of index ${index}`)
      current = next.value
    }
    const { state, line, fault } = current
    if (state === undefined) return fail(`line ${line}: ${fault}`)
    return isRowOf(state, { stateSha256, images })
      ? E.right(state)
      : fail(`the row of index ${index} is not the one that was asked`)
  }
  return (record) =>
    find(record).catch((error: unknown) =>
      signal.aborted ? E.left(interrupted) : fail(reasonOf(error)),
    )
}

/** Reads the rows of some records from the input of their run, by index; none without `--rows`. Fails as `FindRow` does. */
export const readRowsOfRecords =
  (
    runtime: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
    flags: Omit<RowOptions, 'input'>,
    records: ReadonlyArray<Wanted>,
  ): TE.TaskEither<Failure, ReadonlyMap<number, JsonValue>> =>
  async () => {
    const picked = new Map<number, JsonValue>()
    const { rows: path } = flags
    if (path === undefined) return E.right(picked)
    const findRow = createRowFinder(runtime, path, flags)
    for (const record of [...records].sort((a, b) => a.index - b.index)) {
      const row = await findRow(record)
      if (E.isLeft(row)) return row
      picked.set(record.index, row.right)
    }
    return E.right(picked)
  }

/** Makes the state of a row out of the row; `undefined` where the row does not have what it takes. */
type MakeState = (row: JsonValue) => JsonValue | undefined

/** The most fields of a row for which leaving out two of them is tried, since that takes the square of this. */
const mostTried = 64

/**
 * Creates a check whether a row is the one that was asked about, by the digest of its state: the whole row, one of its
 * fields, or the row without one or two fields, which held labels; with images also with their names. What fits one row must fit all later ones.
 */
const createRowCheck = () => {
  let make: MakeState | undefined
  return (row: JsonValue, { stateSha256, images = [] }: Omit<Wanted, 'index'>): boolean => {
    if (stateSha256 === undefined) return true
    const names = images.map(({ name }) => name)
    const fits = (one: MakeState): boolean => {
      const state = one(row)
      if (state === undefined) return false
      const states =
        names.length === 0 ? [state] : [nameImages(state, names), createImageState(state, images)]
      return states.some((asked) => stateDigest(asked, images) === stateSha256)
    }
    if (make !== undefined) return fits(make)
    for (const one of waysOf(row))
      if (fits(one)) {
        make = one
        return true
      }
    return false
  }
}

/** The ways in which a state may have been made of a row. */
function* waysOf(row: JsonValue): Generator<MakeState> {
  yield (one) => one
  if (!(row instanceof Map)) return
  const names = [...row.keys()]
  for (const name of names) yield (one) => memberIn(one, name)
  for (const name of names) yield (one) => leaveOut(one, [name])
  if (names.length > mostTried) return
  for (const [i, first] of names.entries())
    for (const second of names.slice(i + 1)) yield (one) => leaveOut(one, [first, second])
}

const leaveOut = (row: JsonValue, names: ReadonlyArray<string>): JsonValue =>
  new Map([...membersIn(row)].filter(([name]) => !names.includes(name)))
