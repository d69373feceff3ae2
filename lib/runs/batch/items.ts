import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type JsonValue, stringIn } from '../../codec/json/json'
import { type Failure, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import { digestOf } from '../record/record'
import { openSource } from '../record/source'
import type { LabelField, Row } from '../rows/row'
import { countRows, openRows, selectRows } from '../rows/rows'
import { type Item, itemsOf } from './ask-row'
import { maxCompared, type Reuse } from './reuse'
import type { BatchContext, Prepared } from './settings'

/** The items of an input, in order. One that was taken can be put back. */
export interface Items extends AsyncIterableIterator<Item, undefined, undefined> {
  readonly putBack: (item: Item) => void
}

/** The input of a run, while it is read. */
export interface OpenInput {
  readonly items: Items
  /** The name of the input in messages. */
  readonly name: string
  /** How many items have been taken so far. */
  readonly taken: () => number
  readonly remarks: () => RowRemarks
}

/** What people should know about the rows that were read so far. */
export interface RowRemarks {
  /** The fields of `--label` that no row had. */
  readonly absentLabels: ReadonlyArray<LabelField>
  /** How many rows have a state without any content. */
  readonly emptyStates: number
  /** How many rows share their id with another row. */
  readonly sharedIds: number
}

/**
 * Opens the input of a run; `-` is standard input. `signal` ends the reading. Fails as reading does, and if an earlier run
 * of `reuse` fits none of the first rows.
 */
export const openItems = (
  { runtime: { stdin, files }, flags: { input, limit, repeat } }: BatchContext,
  { settings: { form, shard }, fields }: Prepared,
  signal: AbortSignal,
  reuse?: Reuse,
): TE.TaskEither<Failure, OpenInput> => {
  let taken = 0
  const watch = watchRows(fields.labels)
  async function* read(rows: AsyncIterable<Row>): AsyncGenerator<Item, undefined, undefined> {
    for await (const row of rows) {
      watch.add(row)
      for (const item of itemsOf(row, repeat)) {
        taken += 1
        yield item
      }
    }
  }
  const source = openSource(input, { stdin, files, signal })
  return pipe(
    openRows({ ...source, ...form, fields }),
    TE.map((rows) => read(selectRows(rows, limit, shard))),
    TE.chain((items) => compareFirst(items, source.name, reuse)),
    TE.map((items) => ({
      items: withPutBack(items),
      name: source.name,
      taken: () => taken,
      remarks: watch.remarks,
    })),
  )
}

/** Reads the first items, checks that the earlier runs fit them, and returns all items. */
const compareFirst =
  (
    items: AsyncGenerator<Item, undefined, undefined>,
    name: string,
    reuse: Reuse | undefined,
  ): TE.TaskEither<Failure, AsyncGenerator<Item, undefined, undefined>> =>
  async () => {
    if (reuse?.checkFit === undefined) return E.right(items)
    const first: Item[] = []
    try {
      while (first.length < maxCompared) {
        const next = await items.next()
        if (next.done) break
        first.push(next.value)
      }
    } catch (error) {
      return E.left(usage(`read rows: ${name}: ${reasonOf(error)}`))
    }
    const checked = reuse.checkFit(first)
    return E.isLeft(checked) ? checked : E.right(putBefore(first, items))
  }

async function* putBefore(
  first: ReadonlyArray<Item>,
  rest: AsyncGenerator<Item, undefined, undefined>,
): AsyncGenerator<Item, undefined, undefined> {
  yield* first
  yield* rest
}

/** Collects remarks about rows. Ids are kept as hashes of 6 bytes, so that a million rows take some 50 MB. */
const watchRows = (labels: ReadonlyArray<LabelField>) => {
  const absent = new Set(labels)
  const ids = new Set<number>()
  const shared = new Set<number>()
  let [emptyStates, sharedIds] = [0, 0]
  const addId = (id: JsonValue): void => {
    const hash = Number.parseInt(digestOf(id).slice(0, 12), 16)
    if (ids.has(hash)) {
      // The first row with this id shares it too.
      sharedIds += shared.has(hash) ? 1 : 2
      shared.add(hash)
    }
    ids.add(hash)
  }
  return {
    add: ({ absentLabels, state, id }: Row): void => {
      for (const label of absent) if (absentLabels?.includes(label) === false) absent.delete(label)
      if (state !== undefined && isEmpty(state)) emptyStates += 1
      if (id !== undefined) addId(id)
    },
    remarks: (): RowRemarks => ({ absentLabels: [...absent], emptyStates, sharedIds }),
  }
}

/** Whether a state says nothing: null, blank text, or a list or object of nothing else. Nested values are not searched. */
const isEmpty = (state: JsonValue): boolean => {
  if (isBlankValue(state)) return true
  if (Array.isArray(state)) return state.every(isBlankValue)
  return state instanceof Map && [...state.values()].every(isBlankValue)
}

const isBlankValue = (value: JsonValue): boolean => value === null || stringIn(value)?.trim() === ''

const withPutBack = (items: AsyncGenerator<Item, undefined, undefined>): Items => {
  let back: Item | undefined
  const self: Items = {
    next: async () => {
      if (back === undefined) return items.next()
      const value = back
      back = undefined
      return { done: false, value }
    },
    putBack: (item) => {
      back = item
    },
    [Symbol.asyncIterator]: () => self,
  }
  return self
}

/**
 * Counts the items of an input, by reading it once more; `undefined` where it is no file, which can be read only
 * once. Rejects where reading does.
 */
export const countItems = async (
  { runtime: { stdin, files }, flags: { input, limit, repeat = 1 } }: BatchContext,
  { settings: { form, shard } }: Prepared,
  signal: AbortSignal,
): Promise<number | undefined> => {
  if (input === '-' || (await files.size(input)) === undefined) return undefined
  const rows = await countRows({ ...openSource(input, { stdin, files, signal }), ...form })
  const first = Math.min(rows, limit ?? rows)
  const { number, of } = shard ?? { number: 1, of: 1 }
  return Math.ceil((first - (number - 1)) / of) * repeat
}
