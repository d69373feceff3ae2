import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Draft, toJson } from '../codec/json/draft'
import { checkRequest, decodeTemplate, type Template } from '../codec/request'
import type { Failure } from '../failure/failure'
import { usage } from '../failure/failure'
import { encodeValue, stringify } from './values'

/** A text, or a JSON object or array, which is sent unchanged. */
export type Content = string | object

/** A yes/no question. Its answer is the probability of a yes. */
export interface NoulQuestion {
  readonly type: 'noul'
  readonly instructions?: Content
  /** What counts as a yes, and what as a no. */
  readonly criteria?: { readonly true?: Content; readonly false?: Content }
}

/** A question for one label out of a set. `L` is the union of the labels. */
export interface ChoiceQuestion<L extends string = string> {
  readonly type: 'choice'
  readonly instructions?: Content
  /** The labels in order, each with what it means, or null. */
  readonly criteria: Readonly<Record<L, Content | null>>
}

/** A question for a place on a scale. `T` is the tuple of its levels, from the lowest to the highest. */
export interface ScoreQuestion<T extends ReadonlyArray<Content> = ReadonlyArray<Content>> {
  readonly type: 'score'
  readonly instructions?: Content
  /** What each level means: entry 0 is the lowest. */
  readonly criteria: T
}

/** A question, as `noul`, `choice` and `score` make it, or as a request document has it. */
export type Question = NoulQuestion | ChoiceQuestion | ScoreQuestion

/** Questions by id. The ids are the keys of the answers. */
export type Questions = Readonly<Record<string, Question>>

/** Asks for yes or no. `criteria` says what counts as either. */
export const noul = (instructions: Content, criteria?: NoulQuestion['criteria']): NoulQuestion => ({
  type: 'noul',
  instructions,
  ...(criteria && { criteria }),
})

/**
 * Asks for one of several labels: a list of them, or an object that says what each means. JavaScript sorts keys that are
 * whole numbers, so labels that are whole numbers must come in rising order, before the others; otherwise this throws.
 */
export const choice = <const L extends string>(
  instructions: Content,
  labels: ReadonlyArray<L> | Readonly<Record<L, Content | null>>,
): ChoiceQuestion<L> => {
  const entries = isList(labels)
    ? labels.map((label) => [label, null] as const)
    : Object.entries<Content | null>(labels)
  const criteria = Object.fromEntries(entries) as Record<L, Content | null>
  const isKept = Object.keys(criteria).every((label, index) => label === entries[index]?.[0])
  if (!isKept)
    throw new RangeError('labels that are whole numbers must be in rising order, before the others')
  return { type: 'choice', instructions, criteria }
}

const isList = <L>(labels: ReadonlyArray<L> | object): labels is ReadonlyArray<L> =>
  Array.isArray(labels)

/** Asks for a place on a scale, whose levels are given from the lowest to the highest. */
export const score = <const T extends readonly [Content, Content, ...Content[]]>(
  instructions: Content,
  levels: T,
): ScoreQuestion<T> => ({ type: 'score', instructions, criteria: levels })

/**
 * Creates a reader of questions that reads the same ones in a row only once: a program asks them of one state after
 * another. They are compared by their text, since a program may change an object.
 */
export const createQuestionReader = (): typeof readQuestions => {
  let text: string | undefined
  let read: ReturnType<typeof readQuestions>
  return (questions) => {
    const given = stringify(questions)
    if (given === undefined || given !== text) read = readQuestions(questions)
    text = given
    return read
  }
}

/** Checks questions and turns them into those of a request. Fails as `svc ask` does. */
export const readQuestions = (questions: Questions): E.Either<Failure, Template> => {
  const value = encodeValue(questions)
  if (value === undefined) return E.left(usage('the questions are no JSON value'))
  return pipe(
    decodeTemplate(toJson(new Map<string, Draft>([['questions', value]]))),
    E.chainFirst((template) => checkRequest(template)),
  )
}
