/** Writes model files as llama.cpp reads them: GGUF version 3, little-endian. */

/** A value of a file's metadata. Whole numbers are written as 32-bit unsigned ones. */
export type GgufValue =
  | { readonly type: 'uint' | 'float'; readonly value: number }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'texts'; readonly value: ReadonlyArray<string> }
  | { readonly type: 'ints' | 'floats'; readonly value: ReadonlyArray<number> }

/** Numbers of 32 bits, or of 8 bits in blocks as `Q8_0` has them. `shape` begins with the length of a row: `[columns, rows]`. */
export interface Tensor<Data = Float32Array | Uint8Array> {
  readonly shape: ReadonlyArray<number>
  readonly data: Data
}

const alignment = 32

/** The whole file. */
export const gguf = (...content: Parameters<typeof ggufParts>): Buffer =>
  Buffer.concat(ggufParts(...content))

/** The file in parts, to be written one after the other. */
export const ggufParts = (
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: Readonly<Record<string, Tensor>>,
): ReadonlyArray<Buffer> => {
  const kept = Object.entries(metadata)
  const named = Object.entries(tensors)
  const infos: Buffer[] = []
  let offset = 0
  for (const [name, { shape, data }] of named) {
    const type = data instanceof Float32Array ? types.f32 : types.q8
    infos.push(text(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset))
    offset = aligned(offset + data.byteLength)
  }
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(named.length),
    u64(kept.length),
    ...kept.flatMap(([key, value]) => [text(key), valueBytes(value)]),
    ...infos,
  ])
  return [
    padded(head),
    ...named.map(([, { data }]) =>
      padded(Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
    ),
  ]
}

const aligned = (size: number): number => Math.ceil(size / alignment) * alignment

const padded = (bytes: Buffer): Buffer =>
  bytes.length === aligned(bytes.length)
    ? bytes
    : Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)])

const number = (size: number, write: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.alloc(size)
  write(bytes)
  return bytes
}
const u32 = (value: number): Buffer => number(4, (bytes) => bytes.writeUInt32LE(value))
const u64 = (value: number): Buffer => number(8, (bytes) => bytes.writeBigUInt64LE(BigInt(value)))
const f32 = (value: number): Buffer => number(4, (bytes) => bytes.writeFloatLE(value))
const i32 = (value: number): Buffer => number(4, (bytes) => bytes.writeInt32LE(value))
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}

/** The numbers by which the format calls the types of values and of tensors. */
const types = { uint: 4, int: 5, float: 6, text: 8, list: 9, f32: 0, q8: 8 } as const

const list = (type: number, items: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([u32(types.list), u32(type), u64(items.length), ...items])

const valueBytes = (given: GgufValue): Buffer => {
  switch (given.type) {
    case 'uint':
      return Buffer.concat([u32(types.uint), u32(given.value)])
    case 'float':
      return Buffer.concat([u32(types.float), f32(given.value)])
    case 'text':
      return Buffer.concat([u32(types.text), text(given.value)])
    case 'texts':
      return list(types.text, given.value.map(text))
    case 'ints':
      return list(types.int, given.value.map(i32))
    case 'floats':
      return list(types.float, given.value.map(f32))
  }
}
