import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { createAssets, createImageState } from '../../codec/images'
import type { JsonValue } from '../../codec/json/json'
import { bufferOf, findInvalidByte, measureByteOrderMark } from '../../codec/json/parse'
import { type AskRequest, decodeRequest } from '../../codec/request'
import { type Failure, usage } from '../../failure/failure'
import { parseQuestionFlags } from './parse-question-flags'
import { readImageFlags } from './read-image-flags'
import { describeSource, type Inputs, readInput } from './read-input'
import {
  type InputSource,
  missingRequest,
  type RequestMode,
  type StateSource,
} from './request-mode'

/** Reads a request from a document or from flags. Fails with a usage error, or as interrupted. */
export const readRequest =
  (mode: RequestMode) =>
  (inputs: Inputs): TE.TaskEither<Failure, AskRequest> =>
  () =>
    mode.mode === 'json' ? readDocument(mode.source, inputs) : readFlags(mode, inputs)

const readDocument = async (
  source: InputSource,
  inputs: Inputs,
): Promise<E.Either<Failure, AskRequest>> => {
  const bytes = await readInput(source, 'request')(inputs)()
  if (E.isLeft(bytes)) return bytes
  return isBlank(bytes.right) ? E.left(missingRequest) : decodeRequest(bytes.right)
}

/** Returns `true` if a document has nothing but white space and a byte order mark. */
const isBlank = (bytes: Uint8Array): boolean =>
  // 9 to 13 are tab, line feed, vertical tab, form feed and carriage return.
  bytes
    .subarray(measureByteOrderMark(bytes))
    .every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13))

/** Parses the question flags before it reads anything, so that a wrong flag is reported without waiting for stdin. */
const readFlags = async (
  { state, questions, images }: Extract<RequestMode, { readonly mode: 'flags' }>,
  inputs: Inputs,
): Promise<E.Either<Failure, AskRequest>> => {
  const parsedQuestions = parseQuestionFlags(questions)
  if (E.isLeft(parsedQuestions)) return parsedQuestions
  const readImages = await readImageFlags(images, inputs)()
  if (E.isLeft(readImages)) return readImages
  const text = await readState(state, inputs)
  if (E.isLeft(text)) return text
  const hasImages = readImages.right.length > 0
  return E.right({
    state: hasImages ? createImageState(text.right, readImages.right) : (text.right ?? null),
    questions: parsedQuestions.right,
    extra: createAssets(readImages.right),
  })
}

/** Reads the state, the data that the questions are about; `undefined` if no flag names it. */
const readState = async (
  state: StateSource | undefined,
  inputs: Inputs,
): Promise<E.Either<Failure, JsonValue | undefined>> => {
  if (state === undefined) return E.right(undefined)
  if (state.from === 'text') return E.right(state.text)
  const bytes = await readInput(state, labelOf(state))(inputs)()
  return E.isLeft(bytes) ? bytes : decodeState(bytes.right, state)
}

/** Returns the name of a state in messages. */
const labelOf = (state: InputSource): string => (state.from === 'file' ? 'state file' : 'state')

/** Decodes a state as UTF-8. Fails with a usage error that names the offset of the first invalid byte. */
const decodeState = (bytes: Uint8Array, source: InputSource): E.Either<Failure, JsonValue> => {
  const invalidOffset = findInvalidByte(bytes)
  const isValid = invalidOffset >= bytes.length
  if (isValid) return E.right(bufferOf(bytes).toString())
  const reason = `invalid UTF-8 at byte offset ${invalidOffset}`
  return E.left(usage(`read ${labelOf(source)}: ${describeSource(source)}: ${reason}`))
}
