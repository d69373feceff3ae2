import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { QuestionFlags } from './parse-question-flags'

/** An input that svc reads: standard input or a file. */
export type InputSource =
  | { readonly from: 'stdin' }
  | { readonly from: 'file'; readonly path: string }

const stdin: InputSource = { from: 'stdin' }

/** The source of a state: an input, or the value of `--state` itself. */
export type StateSource = InputSource | { readonly from: 'text'; readonly text: string }

/** The mode in which flags have the request. */
interface FlagMode {
  readonly mode: 'flags'
  /** `undefined` if the state consists of images only. */
  readonly state: StateSource | undefined
  readonly questions: QuestionFlags
  /** The values of `--image`. */
  readonly images: ReadonlyArray<string>
}

/** The source of a request: a JSON document, or flags. A request has a state, the data that its questions are about. */
export type RequestMode = { readonly mode: 'json'; readonly source: InputSource } | FlagMode

/** The flags that select the mode. An empty `--state` is a state. */
export interface RequestFlags extends QuestionFlags {
  readonly file: string | undefined
  readonly state: string | undefined
  readonly image: ReadonlyArray<string>
}

/** The failure for a command line without a request. */
export const missingRequest = usage(
  'no request given: pass --file, pipe JSON to stdin, or use --state with --noul/--choice/--score',
  'request',
)

/** Selects the mode without reading any input. Fails with a usage error if the flags contradict each other. */
export const selectRequestMode = (
  flags: RequestFlags,
  stdinIsTTY: () => boolean,
): E.Either<Failure, RequestMode> => {
  const { file, state, image } = flags
  if (state !== undefined || image.length > 0 || hasQuestions(flags)) return selectFlagMode(flags)
  if (file === undefined && stdinIsTTY()) return E.left(missingRequest)
  return E.right({ mode: 'json', source: file === undefined ? stdin : parseFile(file) })
}

const selectFlagMode = (flags: RequestFlags): E.Either<Failure, FlagMode> => {
  const fault = findFault(flags)
  if (fault !== undefined) return E.left(fault)
  const { state, image: images, noul, choice, score } = flags
  return E.right({
    mode: 'flags',
    state: state === undefined ? undefined : parseState(state),
    questions: { noul, choice, score },
    images,
  })
}

/** Finds the first contradiction in the flags, or a missing flag. */
const findFault = (flags: RequestFlags): Failure | undefined => {
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

const parseFile = (path: string): InputSource => (path === '-' ? stdin : { from: 'file', path })

const parseState = (value: string): StateSource => {
  if (value === '-') return stdin
  return value.startsWith('@')
    ? { from: 'file', path: value.slice(1) }
    : { from: 'text', text: value }
}
