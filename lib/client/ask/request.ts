import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Draft, toJson } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import { bufferOf, findInvalidByte, measureMark } from '../../codec/json/parse'
import { type AskRequest, decodeRequest } from '../../codec/request'
import { type Failure, usage } from '../../failure/failure'
import { describeHeaders } from '../call/headers'
import type { Place } from '../providers/place'
import { type Inputs, nameOf, readInput } from './input'
import { type Mode, noRequest, type Source } from './mode'
import { parseQuestionFlags } from './question-flags'

/** Reads the request from a document or from flags. Fails with a usage error, or as interrupted. spec: `svc ask` */
export const readRequest =
  (mode: Mode) =>
  (inputs: Inputs): TE.TaskEither<Failure, AskRequest> =>
    mode.mode === 'json' ? readDocument(mode.source, inputs) : readFlags(mode, inputs)

const readDocument = (source: Source, inputs: Inputs): TE.TaskEither<Failure, AskRequest> =>
  pipe(
    readInput(source, 'request')(inputs),
    TE.filterOrElse(
      (bytes) => !isBlank(bytes),
      () => noRequest,
    ),
    TE.chainEitherK(decodeRequest),
  )

/** Whether a document is blank. A byte order mark counts as blank. spec: `svc ask`, JSON mode 6; D48 */
const isBlank = (bytes: Uint8Array): boolean =>
  bytes.subarray(measureMark(bytes)).every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13))

/** Parses the question flags first, so that the state is not read where one is faulty. */
const readFlags = (
  { state, questions }: Extract<Mode, { readonly mode: 'flags' }>,
  inputs: Inputs,
): TE.TaskEither<Failure, AskRequest> =>
  pipe(
    TE.fromEither(parseQuestionFlags(questions)),
    TE.chain((named) =>
      pipe(
        state.from === 'text' ? TE.right(toJson(state.text)) : readState(state, inputs),
        TE.map((text) => ({ state: text, questions: named, extra: [] })),
      ),
    ),
  )

const readState = (state: Source, inputs: Inputs): TE.TaskEither<Failure, JsonValue> =>
  pipe(
    readInput(state, nounOf(state))(inputs),
    TE.chainEitherK((bytes) => decodeState(bytes, state)),
  )

const nounOf = (state: Source): string => (state.from === 'file' ? 'state file' : 'state')

/** Turns the bytes of a state into a JSON string, unchanged. Fails with a usage error where they are not UTF-8. D48 */
const decodeState = (bytes: Uint8Array, source: Source): E.Either<Failure, JsonValue> => {
  const invalid = findInvalidByte(bytes)
  if (invalid < bytes.length)
    return E.left(
      usage(`read ${nounOf(source)}: ${nameOf(source)}: invalid UTF-8 at byte offset ${invalid}`),
    )
  return E.right(toJson(bufferOf(bytes).toString()))
}

/**
 * Describes what a call would send, with the key shown as `[redacted]`. `Host` and `Content-Length`, which the
 * HTTP client adds, are left out.
 */
export const describeRequest = (place: Place, userAgent: string, body: Draft): Draft => ({
  method: 'POST',
  url: place.ask.url,
  headers: describeHeaders(place, userAgent, true),
  body,
})
