import * as E from 'fp-ts/Either'
import { parseQuestionFlags, type QuestionFlags } from '../../lib/client/ask/parse-question-flags'
import { type Inputs, readInput } from '../../lib/client/ask/read-input'
import { memberIn } from '../../lib/codec/json/json'
import { checkRequest, decodeTemplate, parseDocument, type Template } from '../../lib/codec/request'
import { type Failure, usage } from '../../lib/failure/failure'
import { isBlank } from '../../lib/runs/record/lines'
import type { LabelField } from '../../lib/runs/rows/row'

/** Reads the questions from a document or from flags, and checks them like `svc ask`. */
export const readTemplate = async (
  flags: QuestionFlags & { readonly file: string | undefined },
  inputs: Inputs,
): Promise<E.Either<Failure, Template>> => {
  const template =
    flags.file === undefined ? parseTemplate(flags) : await readDocument(flags.file, inputs)
  if (E.isLeft(template)) return template
  const checked = checkRequest(template.right)
  return E.isLeft(checked) ? checked : template
}

const parseTemplate = (flags: QuestionFlags): E.Either<Failure, Template> => {
  const questions = parseQuestionFlags(flags)
  return E.isLeft(questions) ? questions : E.right({ questions: questions.right, extra: new Map() })
}

const readDocument = async (path: string, inputs: Inputs): Promise<E.Either<Failure, Template>> => {
  const source = path === '-' ? ({ from: 'stdin' } as const) : ({ from: 'file', path } as const)
  const bytes = await readInput(source, 'questions')(inputs)()
  if (E.isLeft(bytes)) return bytes
  if (isBlank(Buffer.from(bytes.right)))
    return E.left(usage('no questions given: the document is empty'))
  const document = parseDocument(bytes.right)
  if (E.isLeft(document)) return document
  return document.right instanceof Map && memberIn(document.right, 'state') !== undefined
    ? E.left(usage('invalid request: "state" comes from the rows: leave it out of --file'))
    : decodeTemplate(document.right)
}

/**
 * Parses the values of `--label <question>=<field>`. Fails with a usage error if the question does not exist or has a label
 * already, and if the field is the state, since labels are never sent.
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
