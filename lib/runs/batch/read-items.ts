import * as E from 'fp-ts/Either'
import { type JsonValue, stringIn } from '../../codec/json/json'
import { type Failure, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import { openSource } from '../record/lines'
import { digestValue } from '../record/record'
import type { LabelField, Row } from '../rows/row'
import { countRows, openRows, selectRows } from '../rows/rows'
import { type BatchItem, createItems } from './batch-item'
import { createImageReader } from './image-files'
import { maxComparedItems, type Reuse } from './reuse'
import type { InputOptions } from './run-options'

/** The items of an input, in order: one for each row, or several with `--repeat`. Each becomes one request. */
export interface ItemQueue extends AsyncIterableIterator<BatchItem, undefined, undefined> {
  /** Puts items that were read back to the front of the queue. */
  readonly putBack: (...items: ReadonlyArray<BatchItem>) => void
}

/** The input of a run, while it is read. */
export interface OpenItems {
  readonly items: ItemQueue
  /** The name of the input in messages. */
  readonly name: string
  /** Returns the number of items that were read from the input so far. An item that was put back counts once. */
  readonly itemsRead: () => number
  /** Returns remarks about the rows read so far. */
  readonly remarks: () => RowRemarks
}

/** Unusual properties of the rows that were read so far. */
export interface RowRemarks {
  /** The label fields that every row lacks. Empty if no row could be read. */
  readonly absentLabelFields: ReadonlyArray<LabelField>
  /** The number of rows whose state has no content. */
  readonly emptyStates: number
  /** The number of rows that share their id with another row. */
  readonly rowsWithSharedId: number
  /** The number of quoted cells that hold a line break and a delimiter, and so perhaps several rows. */
  readonly spanningCells: number
}

interface ReadingOptions {
  /** Ends the reading when it fires. */
  readonly signal: AbortSignal
  readonly reuse: Reuse | undefined
}

/** Opens the input of a run. Fails as `openRows` does, or with a usage error if `reuse.checkFit` refuses the first rows. */
export const openItems = async (
  { stdin, files }: Pick<Runtime, 'stdin' | 'files'>,
  options: InputOptions,
  { signal, reuse }: ReadingOptions,
): Promise<E.Either<Failure, OpenItems>> => {
  const { path, form, fields, followLinks, limit, shard, repeat } = options
  let itemsRead = 0
  const remarkCollector = createRemarkCollector(fields.labelFields)
  const readImages = createImageReader(files, { input: path, followLinks }, signal)
  async function* readItems(
    rows: AsyncIterable<Row>,
  ): AsyncGenerator<BatchItem, undefined, undefined> {
    for await (const row of rows) {
      const images = row.images && (await readImages(row.images, row.line))
      if (signal.aborted) return
      remarkCollector.add(row)
      for (const item of createItems(row, repeat, images)) {
        itemsRead += 1
        yield item
      }
    }
  }
  const source = openSource(path, { stdin, files, signal })
  const rows = await openRows({ ...source, ...form, fields })
  if (E.isLeft(rows)) return rows
  const { countSpanningCells } = rows.right
  const items = createItemQueue(readItems(selectRows(rows.right.rows, limit, shard)))
  const checked = await checkReuse(items, source.name, reuse)
  if (E.isLeft(checked)) return checked
  return E.right({
    items,
    name: source.name,
    itemsRead: () => itemsRead,
    remarks: () => ({ ...remarkCollector.remarks(), spanningCells: countSpanningCells() }),
  })
}

const createItemQueue = (source: AsyncGenerator<BatchItem, undefined, undefined>): ItemQueue => {
  const putBackItems: BatchItem[] = []
  const queue: ItemQueue = {
    next: () => {
      const value = putBackItems.shift()
      return value === undefined ? source.next() : Promise.resolve({ done: false, value })
    },
    putBack: (...items) => {
      putBackItems.unshift(...items)
    },
    [Symbol.asyncIterator]: () => queue,
  }
  return queue
}

/** Checks that the earlier runs fit the first items of the input, and puts these items back. Fails with a usage error. */
const checkReuse = async (
  items: ItemQueue,
  name: string,
  reuse: Reuse | undefined,
): Promise<E.Either<Failure, void>> => {
  if (reuse?.checkFit === undefined) return E.right(undefined)
  const firstItems: BatchItem[] = []
  try {
    while (firstItems.length < maxComparedItems) {
      const next = await items.next()
      if (next.done) break
      firstItems.push(next.value)
    }
  } catch (error) {
    return E.left(usage(`read rows: ${name}: ${reasonOf(error)}`))
  }
  items.putBack(...firstItems)
  return reuse.checkFit(firstItems)
}

/** Counts the items of an input by reading it. Resolves with `undefined` if it is not a regular file, because it can be read only once. */
export const countItems = async (
  { stdin, files }: Pick<Runtime, 'stdin' | 'files'>,
  { path, form, limit, shard, repeat = 1 }: InputOptions,
  signal: AbortSignal,
): Promise<number | undefined> => {
  if (!(await isRegularFile(files, path))) return undefined
  const rows = await countRows({ ...openSource(path, { stdin, files, signal }), ...form })
  const selectedRows = Math.min(rows, limit ?? rows)
  // The shard has every `count`-th row, from the index `number - 1` on.
  const { number, count } = shard ?? { number: 1, count: 1 }
  return Math.ceil((selectedRows - (number - 1)) / count) * repeat
}

/** Resolves with `true` if an input is a regular file, which can be read more than once. */
export const isRegularFile = async (
  files: Pick<Runtime['files'], 'size'>,
  path: string,
): Promise<boolean> => path !== '-' && (await files.size(path)) !== undefined

/** The length of an id's hash in hexadecimal digits. They are 6 bytes, which a number can represent exactly. */
const hashDigits = 12

/** Creates a collector of remarks. It stores a hash of each id, which takes about 50 MB for a million rows. */
const createRemarkCollector = (labelFields: ReadonlyArray<LabelField>) => {
  const absentInAllRows = new Set(labelFields)
  let wasAnyRowRead = false
  const idHashes = new Set<number>()
  const sharedIdHashes = new Set<number>()
  let emptyStates = 0
  let rowsWithSharedId = 0
  const addId = (id: JsonValue): void => {
    const hash = Number.parseInt(digestValue(id).slice(0, hashDigits), 16)
    if (idHashes.has(hash)) {
      // The second row with an id also counts the first one.
      rowsWithSharedId += sharedIdHashes.has(hash) ? 1 : 2
      sharedIdHashes.add(hash)
    }
    idHashes.add(hash)
  }
  return {
    add: ({ absentLabelFields, state, id }: Row): void => {
      // A row that could not be read has no list of absent label fields.
      if (absentLabelFields !== undefined) {
        wasAnyRowRead = true
        for (const labelField of absentInAllRows)
          if (!absentLabelFields.includes(labelField)) absentInAllRows.delete(labelField)
      }
      if (state !== undefined && isEmpty(state)) emptyStates += 1
      if (id !== undefined) addId(id)
    },
    remarks: (): Omit<RowRemarks, 'spanningCells'> => ({
      absentLabelFields: wasAnyRowRead ? [...absentInAllRows] : [],
      emptyStates,
      rowsWithSharedId,
    }),
  }
}

/** Returns `true` for null, a blank text, and an array or object that contains only these. Does not search deeper levels. */
const isEmpty = (state: JsonValue): boolean => {
  if (isBlankValue(state)) return true
  if (Array.isArray(state)) return state.every(isBlankValue)
  return state instanceof Map && [...state.values()].every(isBlankValue)
}

const isBlankValue = (value: JsonValue): boolean => value === null || stringIn(value)?.trim() === ''
