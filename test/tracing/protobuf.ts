/** A message of protocol buffers as its fields: numbers to the values found, in order. */
export type Fields = ReadonlyMap<number, ReadonlyArray<Uint8Array | bigint>>

/** Reads the wire format without a schema: varints and fixed numbers as bigint, the rest as bytes. */
export const fieldsOf = (bytes: Uint8Array): Fields => {
  const fields = new Map<number, Array<Uint8Array | bigint>>()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const sized = (size: number): Uint8Array => {
    at += size
    if (at > bytes.length) throw new RangeError('a field ends past its message')
    return bytes.subarray(at - size, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const value = readers[tag & 7]?.({ varint, sized })
    if (value === undefined) throw new RangeError(`wire type ${tag & 7}`)
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value])
  }
  return fields
}

interface Source {
  readonly varint: () => bigint
  readonly sized: (size: number) => Uint8Array
}

const littleEndian = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)

const readers: Readonly<Record<number, (source: Source) => Uint8Array | bigint>> = {
  0: ({ varint }) => varint(),
  1: ({ sized }) => littleEndian(sized(8)),
  2: ({ varint, sized }) => sized(Number(varint())),
  5: ({ sized }) => littleEndian(sized(4)),
}

const isBytes = (value: Uint8Array | bigint): value is Uint8Array => typeof value !== 'bigint'

export const bytesAt = (fields: Fields, field: number): ReadonlyArray<Uint8Array> =>
  (fields.get(field) ?? []).filter(isBytes)
export const messagesAt = (fields: Fields, field: number): ReadonlyArray<Fields> =>
  bytesAt(fields, field).map(fieldsOf)
export const messageAt = (fields: Fields, field: number): Fields =>
  messagesAt(fields, field)[0] ?? new Map()
export const textAt = (fields: Fields, field: number): string =>
  Buffer.from(bytesAt(fields, field)[0] ?? []).toString()
export const hexAt = (fields: Fields, field: number): string =>
  Buffer.from(bytesAt(fields, field)[0] ?? []).toString('hex')
export const numberAt = (fields: Fields, field: number): bigint => {
  const value = fields.get(field)?.[0]
  return typeof value === 'bigint' ? value : 0n
}
