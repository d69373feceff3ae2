import type * as t from 'io-ts'
import { faultsOf, type Loc } from './fault'

/** A place and what is wrong there, ready for a message. Never carries the offending value. */
export interface Report {
  /** Dotted, with `[n]` for array elements; empty for the whole document. */
  readonly path: string
  readonly cause: string
}

/** `['questions', 'q', 'criteria', 1]` as `questions.q.criteria[1]`. */
export const dotted = (loc: Loc): string =>
  loc.reduce<string>(
    (path, part, index) =>
      typeof part === 'number' ? `${path}[${part}]` : index === 0 ? part : `${path}.${part}`,
    '',
  )

/** The first fault of a failed decode. */
export const report = (errors: t.Errors): Report => {
  const [first] = faultsOf(errors)
  return first === undefined
    ? { path: '', cause: 'is invalid' }
    : { path: dotted(first.loc), cause: first.message }
}
