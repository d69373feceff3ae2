/** The most bytes of a response body that are taken in. D6 */
export const maxResponse = 16 << 20

/** A body that goes on past the cap; `code` tells it apart. */
export const tooLarge = 'ERR_RESPONSE_TOO_LARGE'

/** A whole body in one piece. Stops past `limit` bytes and rejects. */
export const readBody = async (
  body: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > limit) throw Object.assign(new Error('response too large'), { code: tooLarge })
    chunks.push(chunk)
  }
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length)
}
