import * as E from 'fp-ts/Either'
import { createAssets, createImageState } from '../../lib/codec/images'
import type { JsonValue } from '../../lib/codec/json/json'
import {
  bufferOf,
  findInvalidByte,
  maxDocumentBytes,
  measureByteOrderMark,
  tooLargeMessage,
} from '../../lib/codec/json/parse'
import { type AskRequest, decodeRequest } from '../../lib/codec/request'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { reasonOf } from '../../lib/runtime/node/error-reason'
import type { Runtime } from '../../lib/runtime/runtime'
import { parseQuestionFlags, type QuestionFlags, readImageFlags } from './request-flags'

/** An input that svc reads: standard input or a file. */
export type InputSource =
  | { readonly from: 'stdin' }
  | { readonly from: 'file'; readonly path: string }

const stdinSource: InputSource = { from: 'stdin' }

/** The source of a state: an input, or the value of `--state` itself. */
export type StateSource = InputSource | { readonly from: 'text'; readonly text: string }

/** The flags that have a request. */
interface FlagMode {
  readonly kind: 'flags'
  /** `undefined` if the state consists of images only. */
  readonly state: StateSource | undefined
  readonly questions: QuestionFlags
  /** The values of `--image`. */
  readonly images: ReadonlyArray<string>
}

/** The source of a request: a JSON document, or flags. A request has questions and a state, the data that they are about. */
export type RequestMode = { readonly kind: 'document'; readonly source: InputSource } | FlagMode

/** The flags that select the mode. An empty `--state` is a state. */
export interface RequestFlags extends QuestionFlags {
  readonly file: string | undefined
  readonly state: string | undefined
  readonly image: ReadonlyArray<string>
}

/** The failure for a command line without a request. */
const missingRequest = usage(
  'no request given: pass --file, pipe JSON to stdin, or use --state with --noul/--choice/--score',
  'request',
)

/** Selects the mode without reading any input. Fails with a usage error if the flags contradict each other. */
export const selectRequestMode = (
  flags: RequestFlags,
  stdin: Pick<Inputs['stdin'], 'isTTY'>,
): E.Either<Failure, RequestMode> => {
  const { file, state, image } = flags
  if (state !== undefined || image.length > 0 || hasQuestions(flags)) return selectFlagMode(flags)
  if (file === undefined && stdin.isTTY) return E.left(missingRequest)
  return E.right({ kind: 'document', source: file === undefined ? stdinSource : parseFile(file) })
}

const selectFlagMode = (flags: RequestFlags): E.Either<Failure, FlagMode> => {
  const failure = checkFlags(flags)
  if (failure !== undefined) return E.left(failure)
  const { state, image: images, noul, choice, score } = flags
  return E.right({
    kind: 'flags',
    state: state === undefined ? undefined : parseState(state),
    questions: { noul, choice, score },
    images,
  })
}

/** Returns the failure for the first contradiction in the flags or for a missing flag; `undefined` if there is none. */
const checkFlags = (flags: RequestFlags): Failure | undefined => {
  const { file, state, image } = flags
  if (file !== undefined)
    return image.length > 0
      ? usage('--image cannot be combined with --file: a document has "assets"')
      : usage('--file cannot be combined with --state, --noul, --choice, or --score')
  if (state === undefined && image.length === 0)
    return usage('--state is required when using --noul, --choice, or --score', 'state')
  if (state === '@') return usage('--state must name a file after @')
  if (hasQuestions(flags)) return undefined
  const flag = state === undefined ? '--image' : '--state'
  return usage(`${flag} needs at least one --noul, --choice, or --score question`)
}

const hasQuestions = ({ noul, choice, score }: QuestionFlags): boolean =>
  noul.length + choice.length + score.length > 0

const parseFile = (path: string): InputSource =>
  path === '-' ? stdinSource : { from: 'file', path }

const parseState = (value: string): StateSource => {
  if (value === '-') return stdinSource
  return value.startsWith('@')
    ? { from: 'file', path: value.slice(1) }
    : { from: 'text', text: value }
}

/** The inputs of svc, and the signal that interrupts reading them. */
export type Inputs = Pick<Runtime, 'stdin' | 'files' | 'signal'>

/**
 * Reads a request from a document or from flags. Fails with a usage error, with a validation error if an image is too large, or as
 * interrupted.
 */
export const readRequest = (
  mode: RequestMode,
  inputs: Inputs,
): Promise<E.Either<Failure, AskRequest>> =>
  mode.kind === 'document' ? readDocument(mode.source, inputs) : readFlags(mode, inputs)

const readDocument = async (
  source: InputSource,
  inputs: Inputs,
): Promise<E.Either<Failure, AskRequest>> => {
  const bytes = await readInput(source, 'request', inputs)
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
  { state: stateSource, questions: questionFlags, images: imageFlags }: FlagMode,
  inputs: Inputs,
): Promise<E.Either<Failure, AskRequest>> => {
  const questions = parseQuestionFlags(questionFlags)
  if (E.isLeft(questions)) return questions
  const images = await readImageFlags(imageFlags, inputs.files)
  if (E.isLeft(images)) return images
  const state = await readState(stateSource, inputs)
  if (E.isLeft(state)) return state
  const hasImages = images.right.length > 0
  return E.right({
    state: hasImages ? createImageState(state.right, images.right) : (state.right ?? null),
    questions: questions.right,
    extra: createAssets(images.right),
  })
}

/** Reads the state, the data that the questions are about; `undefined` if no flag names it. */
const readState = async (
  source: StateSource | undefined,
  inputs: Inputs,
): Promise<E.Either<Failure, JsonValue | undefined>> => {
  if (source === undefined) return E.right(undefined)
  if (source.from === 'text') return E.right(source.text)
  const bytes = await readInput(source, nameState(source), inputs)
  return E.isLeft(bytes) ? bytes : decodeState(bytes.right, source)
}

/** Returns the name of a state in messages. */
const nameState = ({ from }: InputSource): string => (from === 'file' ? 'state file' : 'state')

/** Decodes a state as UTF-8. Fails with a usage error that names the offset of the first invalid byte. */
const decodeState = (bytes: Uint8Array, source: InputSource): E.Either<Failure, JsonValue> => {
  const invalidOffset = findInvalidByte(bytes)
  const isValid = invalidOffset >= bytes.length
  if (isValid) return E.right(bufferOf(bytes).toString())
  const reason = `invalid UTF-8 at byte offset ${invalidOffset}`
  return E.left(usage(`read ${nameState(source)}: ${describeSource(source)}: ${reason}`))
}

/**
 * Reads an input of at most 16 MiB. `inputName` is for messages: `read request: …`. Fails with a usage error, or as
 * interrupted.
 */
export const readInput = async (
  source: InputSource,
  inputName: string,
  { stdin, files, signal }: Inputs,
): Promise<E.Either<Failure, Uint8Array>> => {
  try {
    const bytes = await (source.from === 'stdin'
      ? stdin.read(maxDocumentBytes, signal)
      : files.read(source.path, maxDocumentBytes))
    // Both reads return more bytes than the limit if there are more.
    return bytes.length <= maxDocumentBytes
      ? E.right(bytes)
      : E.left(usage(`request ${tooLargeMessage}`))
  } catch (error) {
    if (signal.aborted) return E.left(interrupted)
    return E.left(usage(`read ${inputName}: ${describeSource(source)}: ${reasonOf(error)}`))
  }
}

/** Returns the name of an input for messages: the path, or `standard input`. */
const describeSource = (source: InputSource): string =>
  source.from === 'file' ? source.path : 'standard input'
