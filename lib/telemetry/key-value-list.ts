import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { type Part, refine, rejectPart, text } from './yaml-parts'

type Pairs = ReadonlyArray<readonly [key: string, value: string]>

/**
 * Reads `key=value,key2=value2` into percent-decoded pairs, the form of `headers_list` and `attributes_list` in
 * the schema. A malformed entry is a fault, while OpenTelemetry's own parser silently drops it.
 */
export const keyValueList: Part<Pairs> = refine(text, (list, context): t.Validation<Pairs> => {
  const read: Array<readonly [string, string]> = []
  for (const [index, entry] of list.split(',').entries()) {
    if (entry.trim() === '') continue
    const [key = '', ...rest] = entry.split('=')
    const name = decodeText(key)
    const value = decodeText(rest.join('='))
    if (rest.length === 0 || !name || value === undefined)
      return rejectPart(list, context, `entry ${index + 1} must be key=value, percent-encoded`)
    read.push([name, value])
  }
  return t.success(read)
})

const decodeText = (text: string): string | undefined =>
  E.toUnion(
    E.tryCatch(
      () => decodeURIComponent(text.trim()),
      () => undefined,
    ),
  )
