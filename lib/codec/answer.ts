import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as t from 'io-ts'
import { type Draft, Entries } from '../json/draft'
import { type Json, kindOf, type Member, members } from '../json/json'
import { type Codec, json, literal, number, record, string, withDefault } from './combinators'
import { object, typed } from './object'

/** The answer to one question. */
export type Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer | OtherAnswer

interface Received {
  /** The answer as the service wrote it: the fields keep neither its other members nor its number literals. */
  readonly source?: Json
}

/** How likely a yes is. spec: Response document */
interface NoulAnswer extends Received {
  readonly type: 'noul'
  readonly noul: number
}

/** One label out of a set; `probabilities` may be empty. spec: Response document */
interface ChoiceAnswer extends Received {
  readonly type: 'choice'
  readonly choice: string
  readonly confidence: number
  readonly probabilities: ReadonlyArray<readonly [label: string, probability: number]>
}

/** A place on a scale; `legend` and `probabilities` may be empty. spec: Response document */
interface ScoreAnswer extends Received {
  readonly type: 'score'
  readonly score: number
  readonly confidence: number
  readonly legend: ReadonlyArray<readonly [index: string, description: Json]>
  readonly probabilities: ReadonlyArray<readonly [index: string, probability: number]>
}

/** An answer of a type this program does not know; it goes through unchanged. spec: Versioning */
interface OtherAnswer {
  readonly type: 'other'
  /** Its `type`. */
  readonly name: string
  readonly raw: Json
}

const probabilities = withDefault(record(number), [])
const legend = withDefault(record(json), [])

const noul = object({ type: literal('noul'), noul: number }, {})
const choice = object(
  { type: literal('choice'), choice: string, confidence: number, probabilities },
  {},
)
const score = object(
  { type: literal('score'), score: number, confidence: number, legend, probabilities },
  {},
)
const other = t.type({ type: t.literal('other'), name: t.string, raw: json })

const validate = (value: unknown, context: t.Context): t.Validation<Answer> =>
  pipe(
    typed.validate(value, context),
    E.bind('source', () => json.validate(value, context)),
    E.chain(({ type, source }): t.Validation<Answer> => {
      const received = <A>(codec: t.Decoder<unknown, A>) =>
        E.map((fields: A) => ({ ...fields, source }))(codec.validate(value, context))
      switch (type) {
        case 'noul':
          return received(noul)
        case 'choice':
          return received(choice)
        case 'score':
          return received(score)
        default:
          return t.success({ type: 'other', name: type, raw: source })
      }
    }),
  )

const encode = (answer: Answer): Draft => {
  switch (answer.type) {
    case 'noul':
      return written(noul, answer)
    case 'choice':
      return written(choice, answer)
    case 'score':
      return written(score, answer)
    case 'other':
      return answer.raw
  }
}

type Fields = Readonly<Record<string, unknown>>

/**
 * The fields in the place and spelling that the service gave them. A field that was edited since, or that the
 * service left out, is written from its value. D7
 */
const written = <A extends object>(codec: Codec<A>, answer: A & Received): Draft => {
  const { source } = answer
  const draft = codec.encode(answer) as Readonly<Record<string, Draft>>
  if (source === undefined) return draft
  const read = codec.decode(source)
  if (E.isLeft(read)) return draft
  const [before, now] = [read.right as Fields, answer as Fields]
  const isKept = ({ key, value }: Member): boolean =>
    !(key in draft) || (kindOf(value) !== 'null' && isDeepStrictEqual(before[key], now[key]))
  const list = members(source)
  return new Entries([
    ...list.map((one) => [one.name, isKept(one) ? one.value : (draft[one.key] ?? null)] as const),
    ...Object.entries(draft).filter(([name]) => !list.some(({ key }) => key === name)),
  ])
}

/** Answers. The fields of the known types are checked; other types are not looked into. spec: Response document */
export const Answer: Codec<Answer> = new t.Type(
  'an answer',
  (value): value is Answer => [noul, choice, score, other].some((one) => one.is(value)),
  validate,
  encode,
)
