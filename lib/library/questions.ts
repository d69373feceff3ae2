import * as E from 'fp-ts/Either'
import { toJson } from '../codec/json/draft'
import { checkRequest, decodeTemplate, type Template } from '../codec/request'
import { type Failure, usage, validation } from '../failure/failure'
import { orThrow } from './results'
import { encodeValue, stringify } from './values'

/** A text, or a JSON object or array, which is sent unchanged. */
export type Content = string | object

/** A yes/no question, which svc calls `noul`. The answer is the probability of a yes. */
export interface NoulQuestion {
  readonly type: 'noul'
  readonly instructions?: Content
  /** The meaning of yes and of no. */
  readonly criteria?: { readonly true?: Content; readonly false?: Content }
}

/** A question whose answer is one of several labels. `L` is the union of the labels. */
export interface ChoiceQuestion<L extends string = string> {
  readonly type: 'choice'
  readonly instructions?: Content
  /** The labels in order, each with its meaning or null. */
  readonly criteria: Readonly<Record<L, Content | null>>
}

/** A question whose answer is a position on a scale. `T` is the tuple of its levels, from the lowest to the highest. */
export interface ScoreQuestion<T extends ReadonlyArray<Content> = ReadonlyArray<Content>> {
  readonly type: 'score'
  readonly instructions?: Content
  /** The meaning of each level. Entry 0 is the lowest. */
  readonly criteria: T
}

/** A question, as `noul`, `choice` and `score` create it, or as in a request document. */
export type Question = NoulQuestion | ChoiceQuestion | ScoreQuestion

/** Questions by id. The answers have the same ids. */
export type Questions = Readonly<Record<string, Question>>

/** Creates a yes/no question. `criteria` gives the meaning of yes and of no. */
export const noul = (instructions: Content, criteria?: NoulQuestion['criteria']): NoulQuestion => ({
  type: 'noul',
  instructions,
  ...(criteria && { criteria }),
})

/**
 * Creates a question whose answer is one of `labels`: a list, or an object with the meaning of each label. JavaScript sorts keys that
 * are whole numbers, so such labels must be in rising order, before other labels. Otherwise this throws a `RangeError`.
 */
export const choice = <const L extends string>(
  instructions: Content,
  labels: ReadonlyArray<L> | Readonly<Record<L, Content | null>>,
): ChoiceQuestion<L> => {
  const entries = isList(labels)
    ? labels.map((label) => [label, null] as const)
    : Object.entries<Content | null>(labels)
  const criteria = Object.fromEntries(entries) as Record<L, Content | null>
  const hasSameOrder = Object.keys(criteria).every((label, index) => label === entries[index]?.[0])
  if (!hasSameOrder)
    throw new RangeError('labels that are whole numbers must be in rising order, before the others')
  return { type: 'choice', instructions, criteria }
}

/** Narrows the type. `Array.isArray` alone would not, because a `ReadonlyArray` is not an `Array`. */
const isList = <L>(labels: ReadonlyArray<L> | object): labels is ReadonlyArray<L> =>
  Array.isArray(labels)

/** Creates a question for a position on a scale. `levels` are the meanings of the levels, the lowest first. */
export const score = <const T extends readonly [Content, Content, ...Content[]]>(
  instructions: Content,
  levels: T,
): ScoreQuestion<T> => ({ type: 'score', instructions, criteria: levels })

/**
 * Creates a parser that returns its last result if it gets the same questions again. This saves time, because most programs ask the
 * same questions about many states. The parser compares the JSON texts of the questions, because a program may change an object.
 */
export const createQuestionParser = (): typeof parseQuestions => {
  let lastText: string | undefined
  let lastResult: ReturnType<typeof parseQuestions>
  return (questions) => {
    const text = stringify(questions)
    // Questions that JSON cannot express have no text, so they are parsed each time.
    if (text === undefined || text !== lastText) lastResult = parseQuestions(questions)
    lastText = text
    return lastResult
  }
}

/** Parses questions into a template for requests. Fails as `svc ask` does with a questions file. */
export const parseQuestions = (questions: unknown): E.Either<Failure, Template> => {
  const value = encodeValue(questions)
  if (value === undefined) return E.left(usage('the questions are not a JSON value'))
  const template = decodeTemplate(toJson({ questions: value }))
  if (E.isLeft(template)) return template
  const checked = checkRequest(template.right)
  return E.isLeft(checked) ? checked : template
}

/**
 * Checks that a value, such as parsed JSON of a file or a user, has questions by id, and returns it with their type. Throws a
 * `UsageError` or a `ValidationError` that names the first fault and its place, as `ask` does.
 */
export const asQuestions = (value: unknown): Questions => {
  const template = orThrow(parseQuestions(value))
  for (const [id, question] of template.questions)
    if (question.type === 'other')
      orThrow(E.left(validation(`questions.${id}.type`, 'must be noul, choice or score')))
  // The template was made from the value, so the value has the form of questions.
  return value as Questions
}
