/** Encodes model files for llama.cpp: GGUF version 3, little-endian. */

/** A value in the metadata. Whole numbers are 32-bit unsigned integers. */
export type GgufValue =
  | { readonly type: 'uint' | 'float'; readonly value: number }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'texts'; readonly value: ReadonlyArray<string> }
  | { readonly type: 'ints'; readonly value: ReadonlyArray<number> }

/** A tensor of 32-bit floats. */
export interface Tensor {
  /** `[columns, rows]`, or `[length]`. */
  readonly shape: ReadonlyArray<number>
  readonly data: Float32Array
}

/** The metadata and each tensor are padded to a multiple of this number of bytes, the default of GGUF. */
const alignment = 32

/** GGUF's numbers for the types of values (from `uint` to `list`), and of tensors (`f32`). */
const types = { uint: 4, int: 5, float: 6, text: 8, list: 9, f32: 0 } as const

const ggufVersion = 3

/** Encodes a model file from its metadata and its tensors. */
export const encodeGguf = (
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: Readonly<Record<string, Tensor>>,
): Buffer => {
  const metadataEntries = Object.entries(metadata)
  const tensorEntries = Object.entries(tensors)
  const tensorInfos: Buffer[] = []
  let offset = 0
  for (const [name, { shape, data }] of tensorEntries) {
    tensorInfos.push(
      encodeText(name),
      encodeU32(shape.length),
      ...shape.map(encodeU64),
      encodeU32(types.f32),
      encodeU64(offset),
    )
    offset = roundUp(offset + data.byteLength)
  }
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    encodeU32(ggufVersion),
    encodeU64(tensorEntries.length),
    encodeU64(metadataEntries.length),
    ...metadataEntries.flatMap(([key, value]) => [encodeText(key), encodeValue(value)]),
    ...tensorInfos,
  ])
  const tensorBytes = tensorEntries.map(([, { data }]) =>
    pad(Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
  )
  return Buffer.concat([pad(head), ...tensorBytes])
}

/** Rounds a size up to a multiple of the alignment. */
const roundUp = (size: number): number => Math.ceil(size / alignment) * alignment

const pad = (bytes: Buffer): Buffer => {
  const padding = roundUp(bytes.length) - bytes.length
  return padding === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(padding)])
}

const encodeNumber = (size: number, write: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.alloc(size)
  write(bytes)
  return bytes
}

const encodeU32 = (value: number): Buffer => encodeNumber(4, (bytes) => bytes.writeUInt32LE(value))
const encodeU64 = (value: number): Buffer =>
  encodeNumber(8, (bytes) => bytes.writeBigUInt64LE(BigInt(value)))
const encodeF32 = (value: number): Buffer => encodeNumber(4, (bytes) => bytes.writeFloatLE(value))
const encodeI32 = (value: number): Buffer => encodeNumber(4, (bytes) => bytes.writeInt32LE(value))
const encodeText = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([encodeU64(bytes.length), bytes])
}

const encodeList = (type: number, items: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([encodeU32(types.list), encodeU32(type), encodeU64(items.length), ...items])

const encodeValue = (typed: GgufValue): Buffer => {
  switch (typed.type) {
    case 'uint':
      return Buffer.concat([encodeU32(types.uint), encodeU32(typed.value)])
    case 'float':
      return Buffer.concat([encodeU32(types.float), encodeF32(typed.value)])
    case 'text':
      return Buffer.concat([encodeU32(types.text), encodeText(typed.value)])
    case 'texts':
      return encodeList(types.text, typed.value.map(encodeText))
    case 'ints':
      return encodeList(types.int, typed.value.map(encodeI32))
  }
}
