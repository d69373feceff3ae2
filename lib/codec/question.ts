import { array, type Decoder, json, literal, record } from './combinators'
import type { Draft } from './json/draft'
import type { JsonValue } from './json/json'
import { strictObject, typedUnion } from './object'

/**
 * A decoded question of a request. Before the request is sent, `checkQuestion` checks the types of instructions, descriptions and
 * levels, and the number of labels and levels.
 */
export type RequestQuestion = Noul | Choice | Score | OtherQuestion

/** A yes/no question. */
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

/** A decoder of questions. It refuses unknown fields in questions of known types, and does not check other types. */
export const RequestQuestion: Decoder<RequestQuestion> = typedUnion(
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
