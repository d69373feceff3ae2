import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { type Draft, Entries } from '../json/draft'
import { type Json, kindOf, member, members, stringOf } from '../json/json'
import { type Codec, json, literal, number, record, requiredMessage, string } from './combinators'
import { refuse, within } from './fault'
import { object } from './object'

/** The answer to one question. `document` is what is written: the answer with its literals. D7 */
export type Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer | OtherAnswer

/** spec: Response document */
export interface NoulAnswer {
  readonly type: 'noul'
  readonly noul: number
  readonly document: Draft
}

/** spec: Response document */
export interface ChoiceAnswer {
  readonly type: 'choice'
  readonly choice: string
  readonly confidence: number
  readonly probabilities: ReadonlyArray<readonly [label: string, probability: number]>
  readonly document: Draft
}

/** spec: Response document */
export interface ScoreAnswer {
  readonly type: 'score'
  readonly score: number
  readonly confidence: number
  readonly legend: ReadonlyArray<readonly [index: string, description: Json]>
  readonly probabilities: ReadonlyArray<readonly [index: string, probability: number]>
  readonly document: Draft
}

/** An answer of a type this program does not know. spec: Versioning */
export interface OtherAnswer {
  readonly type: 'other'
  /** Its `type`. */
  readonly name: string
  readonly document: Json
}

const noul = object('a noul answer', {
  required: { type: literal('noul'), noul: number },
  optional: {},
  unknown: 'ignore',
})

const choice = object('a choice answer', {
  required: { type: literal('choice'), choice: string, confidence: number },
  optional: { probabilities: record(number) },
  unknown: 'ignore',
})

const score = object('a score answer', {
  required: { type: literal('score'), score: number, confidence: number },
  optional: { legend: record(json), probabilities: record(number) },
  unknown: 'ignore',
})

/** The members as they came, with `{}` for those of `defaults` that are absent or null. */
const completed = (answer: Json, ...defaults: ReadonlyArray<string>): Entries => {
  const list = members(answer)
  const present = new Set(list.map(({ key }) => key))
  const filled = ({ key, value }: { readonly key: string; readonly value: Json }): Draft =>
    defaults.includes(key) && kindOf(value) === 'null' ? {} : value
  return new Entries([
    ...list.map((one) => [one.name, filled(one)] as const),
    ...defaults.filter((key) => !present.has(key)).map((key) => [key, {}] as const),
  ])
}

const validate = (value: Json, context: t.Context): t.Validation<Answer> => {
  if (kindOf(value) !== 'object') return refuse(value, context, 'object_type', 'must be an object')
  const type = member(value, 'type')
  const here = within(context, 'type', string, type)
  if (type === undefined || kindOf(type) === 'null')
    return refuse(type, here, 'missing', requiredMessage)
  if (kindOf(type) !== 'string') return refuse(type, here, 'string_type', 'must be a string')
  const name = stringOf(type)
  switch (name) {
    case '':
      return refuse(type, here, 'empty', requiredMessage)
    case 'noul':
      return E.map((answer: t.TypeOf<typeof noul>) => ({ ...answer, document: completed(value) }))(
        noul.validate(value, context),
      )
    case 'choice':
      return E.map((answer: t.TypeOf<typeof choice>) => ({
        probabilities: [],
        ...answer,
        document: completed(value, 'probabilities'),
      }))(choice.validate(value, context))
    case 'score':
      return E.map((answer: t.TypeOf<typeof score>) => ({
        legend: [],
        probabilities: [],
        ...answer,
        document: completed(value, 'legend', 'probabilities'),
      }))(score.validate(value, context))
    default:
      return t.success({ type: 'other', name, document: value })
  }
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && 'type' in value && 'document' in value

/** Answers: the required fields of the known types are checked, others pass unread. spec: Response document */
export const Answer: Codec<Answer> = new t.Type(
  'an answer',
  isAnswer,
  validate,
  (answer) => answer.document,
)
