import { ZSTDDecoder } from 'zstddec'
import { bufferOf } from '../../codec/json/parse'

/** Decodes a body. Rejects with the code of Node's decoders if it is longer than `maxBytes`, and without one if it is invalid. */
type DecodeZstd = (body: Uint8Array, maxBytes: number) => Promise<Uint8Array>

/**
 * Decodes zstd with the package zstddec, for Node before 22.15. It is the decoder of the zstd project as WebAssembly. It writes into a
 * buffer of `maxBytes`, so a body cannot take more memory. It does not say why it fails. A frame without the size of its content was
 * written by a stream, and counts as too large.
 */
export const decodeZstdByPackage: DecodeZstd = async (body, maxBytes) => {
  const frame = bufferOf(body)
  if (frame.length < minFrameBytes || frame.readUInt32LE(0) !== zstdMagic)
    throw new Error('no zstd frame')
  const contentBytes = readContentSize(frame)
  if (contentBytes === undefined || contentBytes <= maxBytes) {
    const decoder = new ZSTDDecoder()
    await decoder.init()
    const decoded = decoder.decode(body, maxBytes)
    // An empty array is a failure, or an empty body, which is no JSON either.
    if (decoded.length > 0) return decoded
    if (contentBytes !== undefined) throw new Error('invalid zstd')
  }
  throw Object.assign(new Error('too large'), { code: 'ERR_BUFFER_TOO_LARGE' })
}

const zstdMagic = 0xfd2fb528

/** The length of a zstd frame with an empty block and without a checksum. */
const minFrameBytes = 9

/**
 * Reads the size of the decoded content in the header of a zstd frame (RFC 8878, 3.1.1.1), in bytes. Returns `undefined` if the frame
 * does not name it, as if it was written by a stream.
 */
const readContentSize = (frame: Buffer): number | undefined => {
  const descriptor = frame.readUInt8(4)
  const sizeFlag = descriptor >> 6
  const isSingleSegment = (descriptor & 0x20) !== 0
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
  const offset = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes
  const sizeBytes = sizeFlag === 0 ? Number(isSingleSegment) : 1 << sizeFlag
  if (sizeBytes === 0 || offset + sizeBytes > frame.length) return undefined
  if (sizeBytes === 8) return Number(frame.readBigUInt64LE(offset))
  return frame.readUIntLE(offset, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
}
