import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as t from 'io-ts'
import { createDecoder, type Decoder, json, string } from '../codec/combinators'
import { faultAt, placeIn, rejectValue } from '../codec/fault'
import type { Draft } from '../codec/json/draft'
import { isArray, isObject, type JsonValue, membersIn } from '../codec/json/json'
import { object, strictObject } from '../codec/object'

/** A question of a tool call: its id, and the question in the form of a request document. */
type AskedQuestion = readonly [id: string, question: Draft]

/** Reads an array, and stops at the first invalid element: a call may hold millions. */
const listOf = <A>(item: Decoder<A>): Decoder<ReadonlyArray<A>> =>
  createDecoder('a list', (value, context) => {
    if (!isArray(value)) return rejectValue(value, context, 'array_type', 'must be an array')
    const read: A[] = []
    for (const [index, element] of value.entries()) {
      const one = item.validate(element, placeIn(context, String(index), item, element))
      if (E.isLeft(one)) return one
      read.push(one.right)
    }
    return t.success(read)
  })

/** A label and its description, if it has one. */
type Label = readonly [label: string, description: JsonValue | null]

const described = strictObject({ label: string }, { description: json })

const label: Decoder<Label> = createDecoder('a label', (value, context) =>
  isObject(value)
    ? pipe(
        described.validate(value, context),
        E.map((one): Label => [one.label, one.description ?? null]),
      )
    : pipe(
        string.validate(value, context),
        E.bimap(
          () => [faultAt(value, context, 'value', 'must be a text or an object with a "label"')],
          (text): Label => [text, null],
        ),
      ),
)

const named = object({ id: string, type: string }, {})
const noul = strictObject({ id: string, type: string }, { instructions: json, criteria: json })
const choice = strictObject(
  { id: string, type: string, labels: listOf(label) },
  { instructions: json },
)
const score = strictObject(
  { id: string, type: string, levels: listOf(json) },
  { instructions: json },
)

/**
 * Reads a question, whose labels or levels are in an array: the programs that host agents parse arguments and
 * may re-order the members of objects, but not of arrays. Questions of unknown types are passed through without
 * their id.
 */
const question: Decoder<AskedQuestion> = createDecoder('a question', (value, context) =>
  pipe(
    named.validate(value, context),
    E.chain(({ id, type }): t.Validation<AskedQuestion> => {
      switch (type) {
        case 'noul':
          return pipe(
            noul.validate(value, context),
            E.map(({ instructions, criteria }) => [id, { type, instructions, criteria }]),
          )
        case 'choice':
          return pipe(
            choice.validate(value, context),
            E.chainFirst(({ labels }) =>
              refuseRepeats(
                labels.map(([name]) => name),
                placeIn(context, 'labels', string, []),
                'repeats an earlier label',
              ),
            ),
            E.map(({ instructions, labels }) => [
              id,
              { type, instructions, criteria: new Map<string, Draft>(labels) },
            ]),
          )
        case 'score':
          return pipe(
            score.validate(value, context),
            E.map(({ instructions, levels }) => [id, { type, instructions, criteria: levels }]),
          )
        default:
          return t.success([id, describeOtherQuestion(value as JsonValue)])
      }
    }),
  ),
)

const describeOtherQuestion = (value: JsonValue): Draft =>
  new Map<string, Draft>([...membersIn(value)].filter(([name]) => name !== 'id'))

/** Fails on a repeated name, since an object keeps only one of the two. */
const refuseRepeats = (
  names: ReadonlyArray<string>,
  list: t.Context,
  message: string,
): t.Validation<void> => {
  const seen = new Set<string>()
  for (const [index, name] of names.entries()) {
    if (seen.has(name))
      return rejectValue(name, placeIn(list, String(index), string, name), 'value', message)
    seen.add(name)
  }
  return t.success(undefined)
}

/** Reads the questions of a tool call, in order. Fails if an id is repeated. */
export const questions: Decoder<ReadonlyArray<AskedQuestion>> = createDecoder(
  'questions',
  (value, context) =>
    pipe(
      listOf(question).validate(value, context),
      E.chainFirst((asked) =>
        refuseRepeats(
          asked.map(([id]) => id),
          context,
          'repeats the id of an earlier question',
        ),
      ),
    ),
)
