import * as E from 'fp-ts/Either'
import { createAssets, createImageState } from '../../lib/codec/images'
import type { JsonValue } from '../../lib/codec/json/json'
import { bufferOf, findInvalidByte, parseJson } from '../../lib/codec/json/parse'
import { type AskRequest, decodeRequest, type Template } from '../../lib/codec/request'
import { type Failure, usage } from '../../lib/failure/failure'
import {
  describeSource,
  type InputSource,
  type Inputs,
  isBlankDocument,
  parseInputSource,
  readInput,
} from './read-input'
import { readTemplateFile } from './read-questions'
import {
  findDuplicate,
  parseQuestionFlags,
  type QuestionFlags,
  readImageFlags,
} from './request-flags'

/** The source of a state: an input, or the value of the flag itself. */
export type StateSource = InputSource | { readonly from: 'text'; readonly text: string }

/** A state of `--state`, which is text, or of `--state-json`. */
interface StateInput {
  readonly source: StateSource
  readonly isJson: boolean
}

/** The flags that have a request. */
interface FlagMode {
  readonly kind: 'flags'
  /** `undefined` if the state consists of images only. */
  readonly state: StateInput | undefined
  /** The document of `--questions`. */
  readonly questionsFile: InputSource | undefined
  readonly questions: QuestionFlags
  /** The values of `--image`. */
  readonly images: ReadonlyArray<string>
}

/** The source of a request: a JSON document, or flags. A request has questions and a state, the data that they are about. */
export type RequestMode = { readonly kind: 'document'; readonly source: InputSource } | FlagMode

/** The flags that select the mode. An empty `--state` is a state. */
export interface RequestFlags extends QuestionFlags {
  readonly file: string | undefined
  readonly questions: string | undefined
  readonly state: string | undefined
  readonly 'state-json': string | undefined
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
  const { file } = flags
  if (hasState(flags) || flags.image.length > 0 || hasQuestions(flags)) return selectFlagMode(flags)
  if (file === undefined && stdin.isTTY) return E.left(missingRequest)
  return E.right({ kind: 'document', source: parseInputSource(file ?? '-') })
}

const selectFlagMode = (flags: RequestFlags): E.Either<Failure, FlagMode> => {
  const failure = checkFlags(flags)
  if (failure !== undefined) return E.left(failure)
  const { state: text, 'state-json': json, questions: file, image: images } = flags
  const { noul, choice, score } = flags
  const value = text ?? json
  return E.right({
    kind: 'flags',
    state:
      value === undefined ? undefined : { source: parseState(value), isJson: json !== undefined },
    questionsFile: file === undefined ? undefined : parseInputSource(file),
    questions: { noul, choice, score },
    images,
  })
}

/** Returns the failure for the first contradiction in the flags or for a missing flag; `undefined` if there is none. */
const checkFlags = (flags: RequestFlags): Failure | undefined => {
  const { file, state, 'state-json': stateJson, image } = flags
  if (file !== undefined) return refuseWithFile(flags)
  if (!hasState(flags) && image.length === 0)
    return flags.questions === undefined
      ? usage('--state is required when using --noul, --choice, or --score', 'state')
      : usage('--state is required when using --questions', 'state')
  if (state !== undefined && stateJson !== undefined)
    return usage('--state-json cannot be combined with --state')
  const stateFlag = state === undefined ? '--state-json' : '--state'
  const stateValue = state ?? stateJson
  if (stateValue === '@') return usage(`${stateFlag} must name a file after @`)
  if (stateValue === '-' && flags.questions === '-')
    return usage(`--questions and ${stateFlag} cannot both read standard input`)
  if (hasQuestions(flags)) return undefined
  const flag = stateValue === undefined ? '--image' : stateFlag
  return usage(`${flag} needs at least one --noul, --choice, or --score question`)
}

/** Returns the failure for a flag that cannot be combined with `--file`, which must be set. */
const refuseWithFile = (flags: RequestFlags): Failure => {
  if (flags.image.length > 0)
    return usage('--image cannot be combined with --file: a document has "assets"')
  return hasState(flags) || hasQuestionFlags(flags)
    ? usage('--file cannot be combined with --state, --noul, --choice, or --score')
    : usage('--questions cannot be combined with --file: pass --state with it instead')
}

const hasState = (flags: RequestFlags): boolean =>
  flags.state !== undefined || flags['state-json'] !== undefined

const hasQuestions = (flags: RequestFlags): boolean =>
  flags.questions !== undefined || hasQuestionFlags(flags)

const hasQuestionFlags = ({ noul, choice, score }: QuestionFlags): boolean =>
  noul.length + choice.length + score.length > 0

const parseState = (value: string): StateSource => {
  if (value === '-') return { from: 'stdin' }
  return value.startsWith('@')
    ? { from: 'file', path: value.slice(1) }
    : { from: 'text', text: value }
}

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
  return isBlankDocument(bytes.right) ? E.left(missingRequest) : decodeRequest(bytes.right)
}

/** Parses the question flags before it reads anything, so that a wrong flag is reported without waiting for stdin. */
const readFlags = async (
  mode: FlagMode,
  inputs: Inputs,
): Promise<E.Either<Failure, AskRequest>> => {
  const flagQuestions = parseQuestionFlags(mode.questions)
  if (E.isLeft(flagQuestions)) return flagQuestions
  const template = await readQuestionsFile(mode.questionsFile, inputs)
  if (E.isLeft(template)) return template
  const questions = [...template.right.questions, ...flagQuestions.right]
  const duplicate = findDuplicate(questions.map(([id]) => id))
  if (duplicate !== undefined) return E.left(usage(`duplicate question key "${duplicate}"`))
  const images = await readImageFlags(mode.images, inputs.files)
  if (E.isLeft(images)) return images
  const hasImages = images.right.length > 0
  const { extra } = template.right
  if (hasImages && extra.has('assets'))
    return E.left(usage('--image cannot be combined with the "assets" of --questions'))
  const state = await readState(mode.state, inputs)
  if (E.isLeft(state)) return state
  return E.right({
    ...template.right,
    state: hasImages ? createImageState(state.right, images.right) : (state.right ?? null),
    questions,
    extra: new Map([...extra, ...createAssets(images.right)]),
  })
}

/** Reads the document of `--questions`. Without the flag it is a document without questions. */
const readQuestionsFile = async (
  source: InputSource | undefined,
  inputs: Inputs,
): Promise<E.Either<Failure, Template>> =>
  source === undefined
    ? E.right({ questions: [], extra: new Map() })
    : readTemplateFile(source, inputs, {
        flag: '--questions',
        stateSource: '--state',
      })

/** Reads the state, the data that the questions are about; `undefined` if no flag names it. */
const readState = async (
  state: StateInput | undefined,
  inputs: Inputs,
): Promise<E.Either<Failure, JsonValue | undefined>> => {
  if (state === undefined) return E.right(undefined)
  const { source, isJson } = state
  if (source.from === 'text')
    return isJson ? parseStateJson(Buffer.from(source.text)) : E.right(source.text)
  const bytes = await readInput(source, nameState(source), inputs)
  if (E.isLeft(bytes)) return bytes
  return isJson ? parseStateJson(bytes.right) : decodeState(bytes.right, source)
}

const parseStateJson = (bytes: Uint8Array): E.Either<Failure, JsonValue> => {
  const state = parseJson(bytes)
  return E.isRight(state)
    ? state
    : E.left(usage(`invalid JSON in --state-json: ${state.left.message}`))
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
