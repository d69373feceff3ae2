import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import { openSource } from '../record/source'
import type { Row } from '../rows/row'
import { countRows, openRows, selectRows } from '../rows/rows'
import { type BatchItem, itemsOf } from './batch-item'
import { createImageReader } from './image-files'
import { maxCompared, type Reuse } from './reuse'
import { type RowRemarks, watchRows } from './row-remarks'
import type { InputOptions } from './run-options'

/** The items of an input, in order. Items that were taken can be put back. */
export interface Items extends AsyncIterableIterator<BatchItem, undefined, undefined> {
  readonly putBack: (...items: ReadonlyArray<BatchItem>) => void
}

/** The input of a run, while it is read. */
export interface OpenItems {
  readonly items: Items
  /** The name of the input in messages. */
  readonly name: string
  /** How many items have been read so far. */
  readonly taken: () => number
  readonly remarks: () => RowRemarks
}

/**
 * Opens the input of a run. `signal` ends the reading. Fails as reading does, and if an earlier run of `reuse` fits none of
 * the first rows.
 */
export const openItems = async (
  { stdin, files }: Pick<Runtime, 'stdin' | 'files'>,
  { path, form, fields, followLinks, limit, shard, repeat }: InputOptions,
  signal: AbortSignal,
  reuse: Reuse | undefined,
): Promise<E.Either<Failure, OpenItems>> => {
  let taken = 0
  const watch = watchRows(fields.labels)
  const readImages = createImageReader(files, { input: path, followLinks }, signal)
  async function* readItems(
    rows: AsyncIterable<Row>,
  ): AsyncGenerator<BatchItem, undefined, undefined> {
    for await (const row of rows) {
      const images = await readImages(row)
      if (signal.aborted) return
      watch.add(row)
      for (const item of itemsOf(row, repeat, images)) {
        taken += 1
        yield item
      }
    }
  }
  const source = openSource(path, { stdin, files, signal })
  const rows = await openRows({ ...source, ...form, fields })()
  if (E.isLeft(rows)) return rows
  const items = createItems(readItems(selectRows(rows.right, limit, shard)))
  const checked = await compareFirst(items, source.name, reuse)
  if (E.isLeft(checked)) return checked
  return E.right({ items, name: source.name, taken: () => taken, remarks: watch.remarks })
}

const createItems = (source: AsyncGenerator<BatchItem, undefined, undefined>): Items => {
  const back: BatchItem[] = []
  const self: Items = {
    next: () => {
      const value = back.shift()
      return value === undefined ? source.next() : Promise.resolve({ done: false, value })
    },
    putBack: (...items) => {
      back.unshift(...items)
    },
    [Symbol.asyncIterator]: () => self,
  }
  return self
}

/** Checks that the earlier runs fit the first items, and puts these back. */
const compareFirst = async (
  items: Items,
  name: string,
  reuse: Reuse | undefined,
): Promise<E.Either<Failure, void>> => {
  if (reuse?.checkFit === undefined) return E.right(undefined)
  const first: BatchItem[] = []
  try {
    while (first.length < maxCompared) {
      const next = await items.next()
      if (next.done) break
      first.push(next.value)
    }
  } catch (error) {
    return E.left(usage(`read rows: ${name}: ${reasonOf(error)}`))
  }
  items.putBack(...first)
  return reuse.checkFit(first)
}

/** Counts the items of an input by reading it once more; `undefined` if it is no file, which can be read only once. */
export const countItems = async (
  { stdin, files }: Pick<Runtime, 'stdin' | 'files'>,
  { path, form, limit, shard, repeat = 1 }: InputOptions,
  signal: AbortSignal,
): Promise<number | undefined> => {
  if (!(await isFile(files, path))) return undefined
  const rows = await countRows({ ...openSource(path, { stdin, files, signal }), ...form })
  const first = Math.min(rows, limit ?? rows)
  const { number, of } = shard ?? { number: 1, of: 1 }
  return Math.ceil((first - (number - 1)) / of) * repeat
}

/** Whether an input is a regular file, which can be read more than once. */
export const isFile = async (files: Pick<Runtime['files'], 'size'>, path: string) =>
  path !== '-' && (await files.size(path)) !== undefined
