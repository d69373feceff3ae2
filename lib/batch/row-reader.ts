import * as E from 'fp-ts/Either'
import { messageOf } from '../failure/message'
import type { Json } from '../json/json'
import type { Source } from '../run/source'
import type { Format } from './format'
import type { Row } from './row'
import { openRows } from './rows'

/** The row at an index, or what is wrong with it. */
type FoundRow = { readonly row: Json } | { readonly fault: string }

/**
 * Reads the rows of an input one after the other, for a reader who asks for them by index in rising order, so that no
 * more than one row is held. R29
 */
export const createRowReader = (source: Source, format: Format) => {
  const fields = { state: undefined, id: undefined, group: undefined, labels: [] }
  let rows: AsyncGenerator<Row> | undefined
  let current: Row | undefined
  const open = async (): Promise<AsyncGenerator<Row> | string> => {
    const opened = await openRows({ ...source, format, fields })()
    return E.isLeft(opened) ? messageOf(opened.left) : opened.right
  }
  return {
    name: source.name,
    rowAt: async (index: number): Promise<FoundRow> => {
      if (rows === undefined) {
        const opened = await open()
        if (typeof opened === 'string') return { fault: opened }
        rows = opened
      }
      if (current !== undefined && current.index > index)
        return {
          fault: `index ${index} comes after ${current.index}; the run must be sorted by index`,
        }
      while (current === undefined || current.index < index) {
        const next = await rows.next()
        if (next.done) return { fault: `it ends before the row of index ${index}` }
        current = next.value
      }
      return current.state === undefined
        ? { fault: `line ${current.line}: ${current.fault}` }
        : { row: current.state }
    },
  }
}
