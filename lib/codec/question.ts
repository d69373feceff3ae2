import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { array, createDecoder, json, literal, record } from './combinators'
import { rejectValue } from './fault'
import type { Draft } from './json/draft'
import { isObject, type JsonValue } from './json/json'
import { strictObject, typed } from './object'

/**
 * A question of a request. What the specification calls content (instructions, descriptions, levels) is kept as
 * JSON of any kind. `checkQuestion` checks kinds and counts just before sending.
 */
export type RequestQuestion = Noul | Choice | Score | OtherQuestion

/** A yes/no question. */
export interface Noul {
  readonly type: 'noul'
  readonly instructions?: JsonValue
  readonly criteria?: { readonly true?: JsonValue; readonly false?: JsonValue }
}

/**
 * A question for one label out of a set. The description of a label is null if it has none.
 */
export interface Choice {
  readonly type: 'choice'
  readonly instructions?: JsonValue
  readonly criteria?: ReadonlyArray<readonly [label: string, description: JsonValue | null]>
}

/** A question for a number on a scale. Entry i describes level i. */
export interface Score {
  readonly type: 'score'
  readonly instructions?: JsonValue
  readonly criteria?: ReadonlyArray<JsonValue>
}

/** A question of a type that this program does not know. It is passed through unchanged. */
interface OtherQuestion {
  readonly type: 'other'
  /** The question's `type`. */
  readonly name: string
  readonly raw: JsonValue
}

const noul = strictObject(
  { type: literal('noul') },
  { instructions: json, criteria: strictObject({}, { true: json, false: json }) },
)

const choice = strictObject(
  { type: literal('choice') },
  { instructions: json, criteria: record(json) },
)

const score = strictObject(
  { type: literal('score') },
  { instructions: json, criteria: array(json) },
)

const validate = (value: unknown, context: t.Context): t.Validation<RequestQuestion> => {
  if (!isObject(value))
    return rejectValue(value, context, 'object_type', 'must be an object with a "type"')
  const named = typed.validate(value, context)
  if (E.isLeft(named)) return named
  const { type } = named.right
  switch (type) {
    case 'noul':
      return noul.validate(value, context)
    case 'choice':
      return choice.validate(value, context)
    case 'score':
      return score.validate(value, context)
    default:
      return t.success({ type: 'other', name: type, raw: value })
  }
}

/**
 * Encodes a question. Absent fields are left out, except the `criteria` of a choice or score, which are sent as
 * null.
 */
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

/**
 * A decoder of questions. An unknown field of a known type is a fault; questions of other types are not checked.
 */
export const RequestQuestion = createDecoder('a question', validate)
