import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import {
  array,
  createDecoder,
  type Decoder,
  exactString,
  json,
  mapDecoded,
  string,
} from '../codec/combinators'
import { contextOf, rejectValue } from '../codec/fault'
import type { Draft } from '../codec/json/draft'
import { isObject, type JsonObject, type JsonValue } from '../codec/json/json'
import { object, strictObject } from '../codec/object'

/** A question of a tool call: its id, and the question in the form of a request document. */
type AskedQuestion = readonly [id: string, question: Draft]

/** Adds a check to the decoder of a list: no two elements may have the same name, because names become keys of an object. */
const withUniqueNames = <A>(
  list: Decoder<ReadonlyArray<A>>,
  nameOf: (element: A) => string,
  message: string,
): Decoder<ReadonlyArray<A>> =>
  createDecoder(list.name, (value, context) => {
    const decoded = list.validate(value, context)
    if (E.isLeft(decoded)) return decoded
    const names = new Set<string>()
    for (const [index, element] of decoded.right.entries()) {
      const name = nameOf(element)
      if (names.has(name))
        return rejectValue(name, contextOf(context, String(index), list, name), 'value', message)
      names.add(name)
    }
    return decoded
  })

/** A label and its description, which is null if it has none. */
type Label = readonly [label: string, description: JsonValue | null]

const labelObjectDecoder = mapDecoded(
  strictObject({ label: string }, { description: json }),
  ({ label, description }): Label => [label, description ?? null],
)

/** A label is a text, or an object with a label and a description. */
const labelDecoder: Decoder<Label> = createDecoder('a label', (value, context) => {
  if (isObject(value)) return labelObjectDecoder.validate(value, context)
  return typeof value === 'string'
    ? t.success<Label>([value, null])
    : rejectValue(value, context, 'value', 'must be a text or an object with a "label"')
})

/** Decodes a yes/no question, for which svc's word is `noul`. */
const noulDecoder = mapDecoded(
  strictObject({ id: string, type: exactString('noul') }, { instructions: json, criteria: json }),
  ({ type, instructions, criteria }): Draft => ({ type, instructions, criteria }),
)

const labelsDecoder = withUniqueNames(
  array(labelDecoder),
  ([name]) => name,
  'repeats an earlier label',
)

const choiceDecoder = mapDecoded(
  strictObject(
    { id: string, type: exactString('choice'), labels: labelsDecoder },
    { instructions: json },
  ),
  ({ type, instructions, labels }): Draft => ({
    type,
    instructions,
    criteria: new Map<string, Draft>(labels),
  }),
)

const scoreDecoder = mapDecoded(
  strictObject(
    { id: string, type: exactString('score'), levels: array(json) },
    { instructions: json },
  ),
  ({ type, instructions, levels }): Draft => ({ type, instructions, criteria: levels }),
)

/** The decoders of questions, by type. */
const decodersByType = new Map<string, Decoder<Draft>>([
  ['noul', noulDecoder],
  ['choice', choiceDecoder],
  ['score', scoreDecoder],
])

const omitId = (question: JsonObject): Draft =>
  new Map<string, Draft>([...question].filter(([name]) => name !== 'id'))

const idAndTypeDecoder = object({ id: string, type: string }, {})

/**
 * The decoder of one question. Its labels or levels are in an array, because hosts of agents may reorder the members of
 * objects in arguments. A question of an unknown type is forwarded unchanged.
 */
const askedQuestionDecoder: Decoder<AskedQuestion> = createDecoder(
  'a question',
  (value, context) => {
    const decodedHead = idAndTypeDecoder.validate(value, context)
    if (E.isLeft(decodedHead)) return decodedHead
    const { id, type } = decodedHead.right
    const decoder = decodersByType.get(type)
    // `idAndTypeDecoder` has checked that the value is an object.
    if (decoder === undefined) return t.success<AskedQuestion>([id, omitId(value as JsonObject)])
    const question = decoder.validate(value, context)
    return E.isLeft(question) ? question : t.success<AskedQuestion>([id, question.right])
  },
)

/** The decoder of the questions of a tool call, in order. A repeated id is a fault. */
export const askedQuestionsDecoder = withUniqueNames(
  array(askedQuestionDecoder),
  ([id]) => id,
  'repeats the id of an earlier question',
)
