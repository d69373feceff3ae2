import { array, type Decoder, exactString, json, pairsOf } from './combinators'
import { type Fault, type FaultType, type Loc, requiredMessage } from './fault'
import type { Draft } from './json/draft'
import type { JsonValue } from './json/json'
import { strictObject, unionByType } from './object'

/** A decoded question of a request. `checkQuestion` finds the faults that the decoder does not find. */
export type RequestQuestion = Noul | Choice | Score | OtherQuestion

/** A yes/no question. In JSON its type is `noul`. `criteria` say what counts as a yes and as a no. */
export interface Noul {
  readonly type: 'noul'
  readonly instructions?: JsonValue
  readonly criteria?: { readonly true?: JsonValue; readonly false?: JsonValue }
}

/** A question for one of several labels. The description of a label may be null. */
export interface Choice {
  readonly type: 'choice'
  readonly instructions?: JsonValue
  readonly criteria?: ReadonlyArray<readonly [label: string, description: JsonValue | null]>
}

/** A question for a number on a scale. `criteria[i]` describes level i. */
export interface Score {
  readonly type: 'score'
  readonly instructions?: JsonValue
  readonly criteria?: ReadonlyArray<JsonValue>
}

/** A question of a type that svc does not know. svc forwards it unchanged. */
interface OtherQuestion {
  readonly type: 'other'
  /** The question's `type`. */
  readonly name: string
  readonly raw: JsonValue
}

const noul = strictObject(
  { type: exactString('noul') },
  { instructions: json, criteria: strictObject({}, { true: json, false: json }) },
)

const choice = strictObject(
  { type: exactString('choice') },
  { instructions: json, criteria: pairsOf(json) },
)

const score = strictObject(
  { type: exactString('score') },
  { instructions: json, criteria: array(json) },
)

/** A decoder of questions. It refuses unknown fields in questions of known types, and does not check other types. */
export const requestQuestionDecoder: Decoder<RequestQuestion> = unionByType(
  { noul, choice, score },
  (type, raw): RequestQuestion => ({ type: 'other', name: type, raw }),
  'must be an object with a "type"',
)

/** Encodes a question. Omits absent fields, except that absent `criteria` of a choice or score become null. */
export const encodeQuestion = (question: RequestQuestion): Draft => {
  if (question.type === 'other') return question.raw
  const { type, instructions } = question
  switch (type) {
    case 'noul':
      return { type, instructions, criteria: question.criteria }
    case 'choice':
      return {
        type,
        instructions,
        criteria: question.criteria ? new Map<string, Draft>(question.criteria) : null,
      }
    case 'score':
      return { type, instructions, criteria: question.criteria ?? null }
  }
}

/** The maximum number of labels of a choice. */
export const maxLabels = 255

/** The minimum number of levels of a score. */
const minLevels = 2

/** The maximum number of levels of a score. */
export const maxLevels = 10

/** Checks if a name in the probabilities of a score is the index of a level: one digit, because there are at most 10 levels. */
export const isLevelIndex = (name: string): boolean => /^\d$/.test(name)

/**
 * Checks what the decoder does not check: that instructions and descriptions are texts, objects or arrays, and the number of labels
 * or levels. Accepts a question of an unknown type. The path of a fault begins in the question.
 */
export const checkQuestion = (question: RequestQuestion): ReadonlyArray<Fault> =>
  question.type === 'other'
    ? []
    : [...checkContent(question.instructions, 'instructions'), ...checkCriteria(question)]

const checkCriteria = (question: Noul | Choice | Score): ReadonlyArray<Fault> => {
  switch (question.type) {
    case 'noul':
      return (['true', 'false'] as const).flatMap((outcome) =>
        checkContent(question.criteria?.[outcome], 'criteria', outcome),
      )
    case 'choice':
      return checkLabels(question)
    case 'score':
      return checkLevels(question)
  }
}

const createFault = (type: FaultType, message: string, ...loc: Loc): Fault => ({
  loc,
  type,
  message,
})

/** Checks that a value is a string, an object or an array. It may be absent. */
const checkContent = (value: JsonValue | undefined, ...loc: Loc): ReadonlyArray<Fault> => {
  if (value === undefined) return []
  return typeof value === 'string' || Array.isArray(value) || value instanceof Map
    ? []
    : [createFault('content_type', 'must be text, an object or an array', ...loc)]
}

const checkLabels = ({ criteria = [] }: Choice): ReadonlyArray<Fault> => {
  const count = criteria.length
  if (count === 0)
    return [createFault('too_short', 'choice requires at least one label', 'criteria')]
  const tooManyMessage = `choice allows at most ${maxLabels} labels, got ${count}`
  return [
    ...(count > maxLabels ? [createFault('too_long', tooManyMessage, 'criteria')] : []),
    // `slice` limits the number of faults. A label needs no description, so it may be null.
    ...criteria
      .slice(0, maxLabels)
      .flatMap(([label, description]) => checkContent(description ?? undefined, 'criteria', label)),
  ]
}

const checkLevels = ({ criteria = [] }: Score): ReadonlyArray<Fault> => {
  const count = criteria.length
  const wrongCountMessage = `score requires between ${minLevels} and ${maxLevels} levels, got ${count}`
  return [
    ...(count < minLevels ? [createFault('too_short', wrongCountMessage, 'criteria')] : []),
    ...(count > maxLevels ? [createFault('too_long', wrongCountMessage, 'criteria')] : []),
    ...criteria
      .slice(0, maxLevels)
      .flatMap((level, index) =>
        level === null
          ? [createFault('missing', requiredMessage, 'criteria', index)]
          : checkContent(level, 'criteria', index),
      ),
  ]
}
