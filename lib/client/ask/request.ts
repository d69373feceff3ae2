import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { createAssets, createImageHiding, createImageState, decodeImages } from '../../codec/images'
import type { Draft } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import { redactDraft } from '../../codec/json/output'
import { bufferOf, findInvalidByte, measureMark } from '../../codec/json/parse'
import { type AskRequest, decodeRequest } from '../../codec/request'
import { type Failure, usage } from '../../failure/failure'
import { describeHeaders, imageHeaders } from '../call/headers'
import type { Destination } from '../providers/destination'
import { readImageFlags } from './image-flags'
import { type Inputs, nameOf, readInput } from './input'
import { type InputSource, type Mode, noRequest, type StateSource } from './mode'
import { parseQuestionFlags } from './question-flags'

/** Reads a request from a document or from flags. Fails with a usage error, or as interrupted. */
export const readRequest =
  (mode: Mode) =>
  (inputs: Inputs): TE.TaskEither<Failure, AskRequest> =>
  () =>
    mode.mode === 'json' ? readDocument(mode.source, inputs) : readFlags(mode, inputs)

const readDocument = async (
  source: InputSource,
  inputs: Inputs,
): Promise<E.Either<Failure, AskRequest>> => {
  const bytes = await readInput(source, 'request')(inputs)()
  if (E.isLeft(bytes)) return bytes
  return isBlank(bytes.right) ? E.left(noRequest) : decodeRequest(bytes.right)
}

/** Returns `true` if a document has nothing but white space and a byte order mark. */
const isBlank = (bytes: Uint8Array): boolean =>
  bytes.subarray(measureMark(bytes)).every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13))

/** Parses the question flags before it reads anything, to avoid a wait for stdin if a flag is wrong. */
const readFlags = async (
  { state, questions, images }: Extract<Mode, { readonly mode: 'flags' }>,
  inputs: Inputs,
): Promise<E.Either<Failure, AskRequest>> => {
  const named = parseQuestionFlags(questions)
  if (E.isLeft(named)) return named
  const pictures = await readImageFlags(images, inputs)()
  if (E.isLeft(pictures)) return pictures
  const text = await readState(state, inputs)
  if (E.isLeft(text)) return text
  return E.right({
    state:
      pictures.right.length === 0
        ? (text.right ?? null)
        : createImageState(text.right, pictures.right),
    questions: named.right,
    extra: createAssets(pictures.right),
  })
}

const readState = async (
  state: StateSource | undefined,
  inputs: Inputs,
): Promise<E.Either<Failure, JsonValue | undefined>> => {
  if (state === undefined) return E.right(undefined)
  if (state.from === 'text') return E.right(state.text)
  const bytes = await readInput(state, nounOf(state))(inputs)()
  return E.isLeft(bytes) ? bytes : decodeState(bytes.right, state)
}

const nounOf = (state: InputSource): string => (state.from === 'file' ? 'state file' : 'state')

/** Decodes a state as UTF-8. Fails with a usage error that names the offset of the first invalid byte. */
const decodeState = (bytes: Uint8Array, source: InputSource): E.Either<Failure, JsonValue> => {
  const invalid = findInvalidByte(bytes)
  if (invalid < bytes.length)
    return E.left(
      usage(`read ${nounOf(source)}: ${nameOf(source)}: invalid UTF-8 at byte offset ${invalid}`),
    )
  return E.right(bufferOf(bytes).toString())
}

/**
 * Describes the request that a call would send. The key is `[redacted]`, and images are shown by their size. `Host` and
 * `Content-Length`, which the HTTP client adds, are left out.
 */
export const describeRequest = (
  destination: Destination,
  userAgent: string,
  request: AskRequest,
  body: Draft,
): Draft => {
  const images = decodeImages(request.extra)
  const hide = createImageHiding(E.isRight(images) ? images.right : [])
  return {
    method: 'POST',
    url: destination.ask.url,
    headers: {
      ...describeHeaders(destination, userAgent, true),
      ...imageHeaders(destination, request),
    },
    body: redactDraft(body, hide),
  }
}
