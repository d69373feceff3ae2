import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { createDecoder, type Decoder, json, string } from '../codec/combinators'
import { contextOf, rejectValue } from '../codec/fault'
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
      const one = item.validate(element, contextOf(context, String(index), item, element))
      if (E.isLeft(one)) return one
      read.push(one.right)
    }
    return t.success(read)
  })

/** A label and its description, if it has one. */
type Label = readonly [label: string, description: JsonValue | null]

const described = strictObject({ label: string }, { description: json })

const label: Decoder<Label> = createDecoder('a label', (value, context) => {
  if (isObject(value)) {
    const one = described.validate(value, context)
    return E.isLeft(one) ? one : t.success<Label>([one.right.label, one.right.description ?? null])
  }
  const text = string.validate(value, context)
  return E.isLeft(text)
    ? rejectValue(value, context, 'value', 'must be a text or an object with a "label"')
    : t.success<Label>([text.right, null])
})

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
 * Reads a question, whose labels or levels are in an array: programs that host agents may re-order the members of the
 * objects in arguments, but not those of arrays. A question of an unknown type is passed on without its id.
 */
const question: Decoder<AskedQuestion> = createDecoder('a question', (value, context) => {
  const head = named.validate(value, context)
  if (E.isLeft(head)) return head
  const { id, type } = head.right
  const read = readers.get(type)
  if (read === undefined) return t.success([id, describeOtherQuestion(value as JsonValue)])
  const asked = read(value, context)
  return E.isLeft(asked) ? asked : t.success([id, { type, ...asked.right }])
})

type ReadQuestion = (
  value: unknown,
  context: t.Context,
) => t.Validation<Readonly<Record<string, Draft | undefined>>>

const readNoul: ReadQuestion = (value, context) => {
  const asked = noul.validate(value, context)
  if (E.isLeft(asked)) return asked
  const { instructions, criteria } = asked.right
  return t.success({ instructions, criteria })
}

const readChoice: ReadQuestion = (value, context) => {
  const asked = choice.validate(value, context)
  if (E.isLeft(asked)) return asked
  const { instructions, labels } = asked.right
  const names = labels.map(([name]) => name)
  const list = contextOf(context, 'labels', string, [])
  const repeats = refuseRepeats(names, list, 'repeats an earlier label')
  if (E.isLeft(repeats)) return repeats
  return t.success({ instructions, criteria: new Map<string, Draft>(labels) })
}

const readScore: ReadQuestion = (value, context) => {
  const asked = score.validate(value, context)
  if (E.isLeft(asked)) return asked
  return t.success({ instructions: asked.right.instructions, criteria: asked.right.levels })
}

/** The readers of the types of questions. */
const readers: ReadonlyMap<string, ReadQuestion> = new Map([
  ['noul', readNoul],
  ['choice', readChoice],
  ['score', readScore],
])

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
      return rejectValue(name, contextOf(list, String(index), string, name), 'value', message)
    seen.add(name)
  }
  return t.success(undefined)
}

/** Reads the questions of a tool call, in order. Fails if an id is repeated. */
export const AskedQuestions: Decoder<ReadonlyArray<AskedQuestion>> = createDecoder(
  'questions',
  (value, context) => {
    const asked = listOf(question).validate(value, context)
    if (E.isLeft(asked)) return asked
    const ids = asked.right.map(([id]) => id)
    const repeats = refuseRepeats(ids, context, 'repeats the id of an earlier question')
    return E.isLeft(repeats) ? repeats : asked
  },
)
