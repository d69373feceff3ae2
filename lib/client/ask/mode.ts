import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { QuestionFlags } from './question-flags'

/** An input that is read. */
export type InputSource =
  | { readonly from: 'stdin' }
  | { readonly from: 'file'; readonly path: string }

/** Where the state is in flag mode: in an input, or on the command line itself. */
export type StateSource = InputSource | { readonly from: 'text'; readonly text: string }

/** How the request is given: as a document or by flags. */
export type Mode =
  | { readonly mode: 'json'; readonly source: InputSource }
  | {
      readonly mode: 'flags'
      /** `undefined` if the state is images only. */
      readonly state: StateSource | undefined
      readonly questions: QuestionFlags
      /** Values of `--image`. */
      readonly images: ReadonlyArray<string>
    }

/**
 * The flags that decide the mode. `state` is `undefined` where it was not passed; an empty `--state` counts as
 * passed.
 */
export interface ModeFlags extends QuestionFlags {
  readonly file: string | undefined
  readonly state: string | undefined
  readonly image: ReadonlyArray<string>
}

/** The failure where neither a document nor flags were given. */
export const noRequest = usage(
  'no request given: pass --file, pipe JSON to stdin, or use --state with --noul/--choice/--score',
  'request',
)

/**
 * Selects the mode without reading any input. Fails with a usage error where the flags do not go together.
 */
export const selectMode = (
  { file, state, image, noul, choice, score }: ModeFlags,
  stdinIsTTY: () => boolean,
): E.Either<Failure, Mode> => {
  const hasFile = file !== undefined
  const hasQuestions = noul.length + choice.length + score.length > 0
  if (state === undefined && !hasQuestions && image.length === 0) {
    if (!hasFile && stdinIsTTY()) return E.left(noRequest)
    return E.right({ mode: 'json', source: hasFile && file !== '-' ? inFile(file) : stdin })
  }
  if (hasFile && image.length > 0)
    return E.left(usage('--image cannot be combined with --file: a document has "assets"'))
  if (hasFile)
    return E.left(usage('--file cannot be combined with --state, --noul, --choice, or --score'))
  if (state === undefined && image.length === 0)
    return E.left(usage('--state is required when using --noul, --choice, or --score', 'state'))
  if (state === '@') return E.left(usage('--state must name a file after @'))
  const flag = state === undefined ? '--image' : '--state'
  if (!hasQuestions)
    return E.left(usage(`${flag} needs at least one --noul, --choice, or --score question`))
  return E.right({
    mode: 'flags',
    state: state === undefined ? undefined : readStateSource(state),
    questions: { noul, choice, score },
    images: image,
  })
}

const stdin: InputSource = { from: 'stdin' }
const inFile = (path: string): InputSource => ({ from: 'file', path })

const readStateSource = (value: string): StateSource => {
  if (value === '-') return stdin
  return value.startsWith('@') ? inFile(value.slice(1)) : { from: 'text', text: value }
}
