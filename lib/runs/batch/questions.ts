import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Inputs, readInput } from '../../client/ask/input'
import { parseQuestionFlags, type QuestionFlags } from '../../client/ask/question-flags'
import { memberIn } from '../../codec/json/json'
import { checkRequest, decodeTemplate, parseDocument, type Template } from '../../codec/request'
import { type Failure, usage } from '../../failure/failure'
import { isBlank } from '../record/lines'
import type { LabelField } from '../rows/row'

/** Reads the questions from a document or from flags, and checks them like `svc ask`. */
export const readTemplate = (
  flags: QuestionFlags & { readonly file: string | undefined },
  inputs: Inputs,
): TE.TaskEither<Failure, Template> =>
  pipe(
    flags.file === undefined
      ? TE.fromEither(
          pipe(
            parseQuestionFlags(flags),
            E.map((questions) => ({ questions, extra: new Map() })),
          ),
        )
      : readDocument(flags.file, inputs),
    TE.chainFirstEitherK((template) => checkRequest(template)),
  )

const readDocument = (path: string, inputs: Inputs): TE.TaskEither<Failure, Template> =>
  pipe(
    readInput(path === '-' ? { from: 'stdin' } : { from: 'file', path }, 'questions')(inputs),
    TE.filterOrElse(
      (bytes) => !isBlank(Buffer.from(bytes)),
      () => usage('no questions given: the document is empty'),
    ),
    TE.chainEitherK(parseDocument),
    TE.filterOrElse(
      (document) => !(document instanceof Map) || memberIn(document, 'state') === undefined,
      () => usage('invalid request: "state" comes from the rows: leave it out of --file'),
    ),
    TE.chainEitherK(decodeTemplate),
  )

/**
 * Reads the fields of `--label <question>=<field>`. Fails with a usage error where the question does not exist,
 * where it has a label already, and where the field is the state, since labels are never sent.
 */
export const parseLabelFields = (
  texts: ReadonlyArray<string>,
  { questions }: Template,
  stateField: string | undefined,
): E.Either<Failure, ReadonlyArray<LabelField>> => {
  const byId = new Map(questions)
  const seen = new Set<string>()
  return E.traverseArray((text: string): E.Either<Failure, LabelField> => {
    const named = splitAtEach(text).find(([id]) => byId.has(id))
    const [id = text, field = ''] = named ?? splitAtEach(text)[0] ?? []
    const question = byId.get(id)
    if (field === '') return E.left(usage(`--label "${text}": expected question=field`))
    if (question === undefined)
      return E.left(usage(`--label "${text}": there is no question "${id}"`))
    if (seen.has(id)) return E.left(usage(`--label "${text}": "${id}" has a label already`))
    if (field === stateField)
      return E.left(usage(`--label "${text}": "${field}" is the --state-field, which is sent`))
    seen.add(id)
    return E.right({ id, question, field })
  })(texts)
}

/** All ways to split a text at an `=`, since an id may contain one. */
const splitAtEach = (text: string): ReadonlyArray<readonly [string, string]> =>
  [...text.matchAll(/=/g)].map(({ index }) => [text.slice(0, index), text.slice(index + 1)])
