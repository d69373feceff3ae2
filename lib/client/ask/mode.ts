import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { QuestionFlags } from './question-flags'

/** An input that is read. */
export type Source = { readonly from: 'stdin' } | { readonly from: 'file'; readonly path: string }

/** Where the state is in flag mode: in an input, or on the command line itself. */
export type StateSource = Source | { readonly from: 'text'; readonly text: string }

/** How the request is given: as a document or by flags. spec: `svc ask`, Mode selection */
export type Mode =
  | { readonly mode: 'json'; readonly source: Source }
  | { readonly mode: 'flags'; readonly state: StateSource; readonly questions: QuestionFlags }

/**
 * The flags that decide the mode. `state` is `undefined` where it was not passed; an empty `--state` counts as
 * passed (D16).
 */
export interface ModeFlags extends QuestionFlags {
  readonly file: string | undefined
  readonly state: string | undefined
}

/** The failure where neither a document nor flags were given. spec: `svc ask`, JSON mode 6 and 7 */
export const noRequest = usage(
  'no request given: pass --file, pipe JSON to stdin, or use --state with --noul/--choice/--score',
  'request',
)

/**
 * Selects the mode without reading any input. Fails with a usage error where the flags do not go together.
 * spec: `svc ask`, Mode selection, JSON mode 7, Flag mode 1-2; D51
 */
export const selectMode = (
  { file, state, noul, choice, score }: ModeFlags,
  stdinIsTTY: () => boolean,
): E.Either<Failure, Mode> => {
  const hasFile = file !== undefined
  const hasQuestions = noul.length + choice.length + score.length > 0
  if (state === undefined && !hasQuestions) {
    if (!hasFile && stdinIsTTY()) return E.left(noRequest)
    return E.right({ mode: 'json', source: hasFile && file !== '-' ? inFile(file) : stdin })
  }
  if (hasFile)
    return E.left(usage('--file cannot be combined with --state, --noul, --choice, or --score'))
  if (state === undefined)
    return E.left(usage('--state is required when using --noul, --choice, or --score'))
  if (state === '@') return E.left(usage('--state must name a file after @'))
  return hasQuestions
    ? E.right({ mode: 'flags', state: readStateSource(state), questions: { noul, choice, score } })
    : E.left(usage('--state needs at least one --noul, --choice, or --score question'))
}

const stdin: Source = { from: 'stdin' }
const inFile = (path: string): Source => ({ from: 'file', path })

const readStateSource = (value: string): StateSource => {
  if (value === '-') return stdin
  return value.startsWith('@') ? inFile(value.slice(1)) : { from: 'text', text: value }
}
