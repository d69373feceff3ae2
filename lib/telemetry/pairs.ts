import * as E from 'fp-ts/Either'
import { type Fault, fault } from './reader'

/** Keys and values in the order of the text. */
export type Pairs = ReadonlyArray<readonly [key: string, value: string]>

/**
 * The pairs of `key=value,key2=value2`, percent-decoded, as the schema's `headers_list`
 * and `attributes_list` write them. A malformed entry is a fault, not left out.
 */
export const pairs = (list: string, path: string): E.Either<Fault, Pairs> => {
  const read: Array<readonly [string, string]> = []
  for (const [index, entry] of list.split(',').entries()) {
    if (entry.trim() === '') continue
    const split = entry.indexOf('=')
    const key = decoded(entry.slice(0, split).trim())
    const value = decoded(entry.slice(split + 1).trim())
    if (split < 0 || !key || value === undefined) {
      return fault(path, `entry ${index + 1} must be key=value, percent-encoded`)
    }
    read.push([key, value])
  }
  return E.right(read)
}

const decoded = (text: string): string | undefined =>
  E.getOrElseW(() => undefined)(
    E.tryCatch(
      () => decodeURIComponent(text),
      () => undefined,
    ),
  )
