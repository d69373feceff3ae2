import * as t from 'io-ts'
import { type Draft, Entries } from '../json/draft'
import { type Json, kindOf, member, stringOf } from '../json/json'
import {
  array,
  type Codec,
  json,
  literal,
  nullable,
  record,
  requiredMessage,
  string,
} from './combinators'
import { refuse, within } from './fault'
import { object } from './object'

/**
 * A question of a request. Content values keep their JSON text, whatever kind they are: kinds
 * and counts are checked just before sending (`checkQuestion`), not here.
 */
export type Question = Noul | Choice | Score | OtherQuestion

/** A yes/no question. spec: Question objects */
export interface Noul {
  readonly type: 'noul'
  readonly instructions?: Json
  readonly criteria?: { readonly true?: Json; readonly false?: Json }
}

/** One label out of a set; an undescribed label has `null`. spec: Question objects */
export interface Choice {
  readonly type: 'choice'
  readonly instructions?: Json
  readonly criteria?: ReadonlyArray<readonly [label: string, description: Json | null]>
}

/** A place on a scale; index i describes level i. spec: Question objects */
export interface Score {
  readonly type: 'score'
  readonly instructions?: Json
  readonly criteria?: ReadonlyArray<Json>
}

/** A question of a type this program does not know; it goes through unchanged. spec: Versioning */
export interface OtherQuestion {
  readonly type: 'other'
  /** Its `type`. */
  readonly name: string
  readonly raw: Json
}

const noulCriteria = object('noul criteria', {
  required: {},
  optional: { true: json, false: json },
  unknown: 'refuse',
})

const noul = object('a noul question', {
  required: { type: literal('noul') },
  optional: { instructions: json, criteria: noulCriteria },
  unknown: 'refuse',
})

const choice = object('a choice question', {
  required: { type: literal('choice') },
  optional: { instructions: json, criteria: record(nullable(json)) },
  unknown: 'refuse',
})

const score = object('a score question', {
  required: { type: literal('score') },
  optional: { instructions: json, criteria: array(json) },
  unknown: 'refuse',
})

const isQuestion = (value: unknown): value is Question => {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  switch (value.type) {
    case 'noul':
      return noul.is(value)
    case 'choice':
      return choice.is(value)
    case 'score':
      return score.is(value)
    default:
      return value.type === 'other' && 'raw' in value && json.is(value.raw)
  }
}

const validate = (value: Json, context: t.Context): t.Validation<Question> => {
  if (kindOf(value) !== 'object')
    return refuse(value, context, 'object_type', 'must be an object with a "type"')
  const type = member(value, 'type')
  const here = within(context, 'type', string, type)
  if (type === undefined) return refuse(type, here, 'missing', requiredMessage)
  if (kindOf(type) !== 'string') return refuse(type, here, 'string_type', 'must be a string')
  const name = stringOf(type)
  switch (name) {
    case '':
      return refuse(type, here, 'empty', requiredMessage)
    case 'noul':
      return noul.validate(value, context)
    case 'choice':
      return choice.validate(value, context)
    case 'score':
      return score.validate(value, context)
    default:
      return t.success({ type: 'other', name, raw: value })
  }
}

/** Absent fields are left out, but for the `criteria` of choice and score, which are null then. */
const encode = (question: Question): Draft => {
  switch (question.type) {
    case 'noul': {
      const { type, instructions, criteria } = question
      return {
        type,
        instructions,
        criteria: criteria && { true: criteria.true, false: criteria.false },
      }
    }
    case 'choice': {
      const { type, instructions, criteria } = question
      return { type, instructions, criteria: criteria === undefined ? null : new Entries(criteria) }
    }
    case 'score': {
      const { type, instructions, criteria } = question
      return { type, instructions, criteria: criteria ?? null }
    }
    case 'other':
      return question.raw
  }
}

/** Question objects: strict about the fields of the known types, others pass unread. spec: Question objects */
export const Question: Codec<Question> = new t.Type('a question', isQuestion, validate, encode)
