import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
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

/** Reads the request from a document or from flags. Fails with a usage error, or as interrupted. */
export const readRequest =
  (mode: Mode) =>
  (inputs: Inputs): TE.TaskEither<Failure, AskRequest> =>
    mode.mode === 'json' ? readDocument(mode.source, inputs) : readFlags(mode, inputs)

const readDocument = (source: InputSource, inputs: Inputs): TE.TaskEither<Failure, AskRequest> =>
  pipe(
    readInput(source, 'request')(inputs),
    TE.filterOrElse(
      (bytes) => !isBlank(bytes),
      () => noRequest,
    ),
    TE.chainEitherK(decodeRequest),
  )

/** Whether a document is blank. A byte order mark counts as blank. */
const isBlank = (bytes: Uint8Array): boolean =>
  bytes.subarray(measureMark(bytes)).every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13))

/** Parses the question flags first, so that nothing is read if one of them is wrong. */
const readFlags = (
  { state, questions, images }: Extract<Mode, { readonly mode: 'flags' }>,
  inputs: Inputs,
): TE.TaskEither<Failure, AskRequest> =>
  pipe(
    TE.fromEither(parseQuestionFlags(questions)),
    TE.bindTo('named'),
    TE.bind('pictures', () => readImageFlags(images, inputs)),
    TE.bind('text', () => readStateText(state, inputs)),
    TE.map(({ named, pictures, text }) => ({
      state: pictures.length === 0 ? (text ?? null) : createImageState(text, pictures),
      questions: named,
      extra: createAssets(pictures),
    })),
  )

const readStateText = (
  state: StateSource | undefined,
  inputs: Inputs,
): TE.TaskEither<Failure, JsonValue | undefined> => {
  if (state === undefined) return TE.right(undefined)
  return state.from === 'text' ? TE.right(state.text) : readState(state, inputs)
}

const readState = (state: InputSource, inputs: Inputs): TE.TaskEither<Failure, JsonValue> =>
  pipe(
    readInput(state, nounOf(state))(inputs),
    TE.chainEitherK((bytes) => decodeState(bytes, state)),
  )

const nounOf = (state: InputSource): string => (state.from === 'file' ? 'state file' : 'state')

/** Turns the bytes of a state into a JSON string, unchanged. Fails with a usage error if they are not UTF-8. */
const decodeState = (bytes: Uint8Array, source: InputSource): E.Either<Failure, JsonValue> => {
  const invalid = findInvalidByte(bytes)
  if (invalid < bytes.length)
    return E.left(
      usage(`read ${nounOf(source)}: ${nameOf(source)}: invalid UTF-8 at byte offset ${invalid}`),
    )
  return E.right(bufferOf(bytes).toString())
}

/**
 * Describes what a call would send, with the key shown as `[redacted]`, and images by their size. `Host` and `Content-Length`, which the
 * HTTP client adds, are left out.
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
