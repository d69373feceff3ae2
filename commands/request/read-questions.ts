import * as E from 'fp-ts/Either'
import { memberIn } from '../../lib/codec/json/json'
import { checkRequest, decodeTemplate, parseDocument, type Template } from '../../lib/codec/request'
import { type Failure, usage } from '../../lib/failure/failure'
import type { LabelField } from '../../lib/runs/rows/row'
import {
  type InputSource,
  type Inputs,
  isBlankDocument,
  parseInputSource,
  readInput,
} from './read-input'
import { parseQuestionFlags, type QuestionFlags } from './request-flags'

/** Reads a template, which is a request without its state, from `--file` or question flags. Checks it like `svc ask`. */
export const readTemplate = async (
  flags: QuestionFlags & { readonly file: string | undefined },
  inputs: Inputs,
): Promise<E.Either<Failure, Template>> => {
  const template =
    flags.file === undefined
      ? parseTemplateFlags(flags)
      : await readTemplateFile(parseInputSource(flags.file), inputs, {
          flag: '--file',
          stateSource: 'the rows',
        })
  if (E.isLeft(template)) return template
  // A check that holds has no result.
  const checked = checkRequest(template.right)
  return E.isLeft(checked) ? checked : template
}

const parseTemplateFlags = (flags: QuestionFlags): E.Either<Failure, Template> => {
  const questions = parseQuestionFlags(flags)
  return E.isLeft(questions) ? questions : E.right({ questions: questions.right, extra: new Map() })
}

/** The words of messages about a document of questions. */
interface TemplateWords {
  /** The flag that names the document. */
  readonly flag: string
  /** The source of the state, which the document must leave out. */
  readonly stateSource: string
}

/** Reads a request document without its state. Fails with a usage error if it has a state. */
export const readTemplateFile = async (
  source: InputSource,
  inputs: Inputs,
  { flag, stateSource }: TemplateWords,
): Promise<E.Either<Failure, Template>> => {
  const bytes = await readInput(source, 'questions', inputs)
  if (E.isLeft(bytes)) return bytes
  if (isBlankDocument(bytes.right))
    return E.left(usage('no questions given: the document is empty'))
  const document = parseDocument(bytes.right)
  if (E.isLeft(document)) return document
  return document.right instanceof Map && memberIn(document.right, 'state') !== undefined
    ? E.left(usage(`invalid request: "state" comes from ${stateSource}: leave it out of ${flag}`))
    : decodeTemplate(document.right)
}

/**
 * Parses the values of `--label <question>=<field>`. Fails with a usage error for a value of another form, for a question that does not
 * exist or has a label already, and for the field of the state. The state is sent to the service, but labels never are.
 */
export const parseLabelFields = (
  texts: ReadonlyArray<string>,
  { questions }: Template,
  stateField: string | undefined,
): E.Either<Failure, ReadonlyArray<LabelField>> => {
  const questionsById = new Map(questions)
  const fields: LabelField[] = []
  for (const text of texts) {
    const refuse = (reason: string) => E.left(usage(`--label "${text}": ${reason}`))
    // An id may contain `=` too: `a=b=c` has the field `b=c` of the question `a`, or the field `c` of the question `a=b`.
    // If no question has the id, the first split provides the id for the error message.
    const splits = splitAtEachEquals(text)
    const split = splits.find((candidate) => questionsById.has(candidate.id)) ?? splits[0]
    if (split === undefined || split.field === '') return refuse('expected question=field')
    const { id, field } = split
    const question = questionsById.get(id)
    if (question === undefined) return refuse(`there is no question "${id}"`)
    if (fields.some((earlier) => earlier.questionId === id))
      return refuse(`"${id}" has a label already`)
    if (field === stateField) return refuse(`"${field}" is the --state-field, which is sent`)
    fields.push({ questionId: id, question, field })
  }
  return E.right(fields)
}

/** Lists every way to split the text at a `=`. */
const splitAtEachEquals = (
  text: string,
): ReadonlyArray<{ readonly id: string; readonly field: string }> =>
  [...text.matchAll(/=/g)].map(({ index }) => ({
    id: text.slice(0, index),
    field: text.slice(index + 1),
  }))
