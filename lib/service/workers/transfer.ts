import { Json } from '../../json/json'
import { bufferOf } from '../../runtime/node/buffer-of'

/**
 * Returns bytes that have an `ArrayBuffer` of their own, copied if necessary, so that they can be transferred
 * to another thread. Node keeps small buffers together in one shared `ArrayBuffer`, which cannot be transferred
 * and would be copied whole.
 */
export const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes)

/**
 * Restores the `Json` instances in a value that another thread has sent: the structured clone algorithm copies
 * their fields but drops their class. The value is a tree of arrays and plain objects.
 */
export const restored = <A>(value: A): A => restoredPart(value) as A

const restoredPart = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(restoredPart)
  if (isCopied(value)) return new Json(bufferOf(value.bytes), value.start, value.end)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, restoredPart(part)]))
}

const isCopied = (value: object): value is Json =>
  'bytes' in value && value.bytes instanceof Uint8Array
