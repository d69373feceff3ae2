import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** In bytes; of the request, after compression. */
export interface Sizes {
  readonly maxRequestSize: number
  readonly maxResponseSize: number
}

/** Holds a request and its answer to the document's sizes, which the library knows nothing of. D34 */
export const limitSizes = (
  request: ClientRequest,
  { maxRequestSize, maxResponseSize }: Sizes,
  end: (cause: string) => void,
): void => {
  request.once('pipe', (body: Readable) =>
    count(body, maxRequestSize, () => end('the request is too large')),
  )
  request.once('response', (answer: IncomingMessage) =>
    count(answer, maxResponseSize, () => end('the answer is too large')),
  )
}

const count = (stream: Readable, most: number, passed: () => void): void => {
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > most) passed()
  })
}
