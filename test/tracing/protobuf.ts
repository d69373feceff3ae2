/** The lowest three bits of a field's tag: the encoding of its value. */
const wireTypes = { varint: 0, eightBytes: 1, lengthAndBytes: 2, fourBytes: 5 } as const

/** A protobuf message without its schema: the values of each field number, in order. */
export type Fields = ReadonlyMap<number, ReadonlyArray<Uint8Array | bigint>>

/** Decodes a message in protobuf's wire format. Numbers become bigint. Texts, bytes and messages become bytes. */
export const decodeFields = (message: Uint8Array): Fields => {
  const fields = new Map<number, Array<Uint8Array | bigint>>()
  let offset = 0

  const readBytes = (count: number): Uint8Array => {
    offset += count
    if (offset > message.length) throw new RangeError('a field ends past its message')
    return message.subarray(offset - count, offset)
  }
  /** Reads a number in groups of seven bits, the lowest first. The highest bit of a byte says that another byte follows. */
  const readVarint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      // `readBytes` throws at the end of the message, so this 0 is never used.
      const [byte = 0] = readBytes(1)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const readValue = (wireType: number): Uint8Array | bigint => {
    if (wireType === wireTypes.varint) return readVarint()
    if (wireType === wireTypes.eightBytes) return parseLittleEndian(readBytes(8))
    if (wireType === wireTypes.lengthAndBytes) return readBytes(Number(readVarint()))
    if (wireType === wireTypes.fourBytes) return parseLittleEndian(readBytes(4))
    throw new RangeError(`unknown wire type ${wireType}`)
  }

  while (offset < message.length) {
    // A tag is the number of the field, and below it the three bits of the wire type.
    const tag = Number(readVarint())
    const fieldNumber = tag >> 3
    const values = fields.get(fieldNumber) ?? []
    values.push(readValue(tag & 7))
    fields.set(fieldNumber, values)
  }
  return fields
}

const parseLittleEndian = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)

const isBytes = (value: Uint8Array | bigint): value is Uint8Array => typeof value !== 'bigint'

export const bytesAt = (fields: Fields, field: number): ReadonlyArray<Uint8Array> =>
  (fields.get(field) ?? []).filter(isBytes)

export const messagesAt = (fields: Fields, field: number): ReadonlyArray<Fields> =>
  bytesAt(fields, field).map(decodeFields)

/** Returns the message in a field. If the field is missing, the message is empty. */
export const messageAt = (fields: Fields, field: number): Fields =>
  messagesAt(fields, field)[0] ?? new Map()

/** Returns the text in a field, or `''` if the field is missing or is a number. */
export const textAt = (fields: Fields, field: number): string =>
  Buffer.from(bytesAt(fields, field)[0] ?? []).toString()

/** Returns the bytes in a field as hexadecimal digits, or `''` if the field is missing or is a number. */
export const hexAt = (fields: Fields, field: number): string =>
  Buffer.from(bytesAt(fields, field)[0] ?? []).toString('hex')

/** Returns the number in a field, or 0 if the field is missing or is no number. */
export const numberAt = (fields: Fields, field: number): bigint => {
  const value = fields.get(field)?.[0]
  return typeof value === 'bigint' ? value : 0n
}
