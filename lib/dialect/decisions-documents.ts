import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import {
  anyArray,
  anyObject,
  anyString,
  array,
  type Codec,
  json,
  literal,
  string,
} from '../codec/combinators'
import { rejectValue } from '../codec/fault'
import { object, strictObject, typed } from '../codec/object'
import { type Json, kindOf } from '../json/json'

/** A codec that keeps the text of a value which `choose` finds a codec for, and which that codec takes. */
const keep = (choose: (value: unknown, context: t.Context) => t.Validation<t.Mixed>): Codec<Json> =>
  new t.Type(
    'any value',
    json.is,
    (value, context) => {
      const chosen = choose(value, context)
      const read = E.isLeft(chosen) ? chosen : chosen.right.validate(value, context)
      return E.isLeft(read) ? read : json.validate(value, context)
    },
    t.identity,
  )

/** A codec for objects that are told apart by their `type`. `usual` is the type of one that has none. */
const byType = (codecs: Readonly<Record<string, t.Mixed>>, usual?: string): Codec<Json> =>
  keep((value, context) => {
    const named = (usual === undefined ? typed : mayBeTyped).validate(value, context)
    if (E.isLeft(named)) return named
    const type = named.right.type ?? usual ?? ''
    const codec = Object.hasOwn(codecs, type) ? codecs[type] : undefined
    if (codec !== undefined) return t.success(codec)
    const known = Object.keys(codecs).join(', ')
    const message = type === 'input_image' ? 'images are not supported' : `must be one of ${known}`
    return rejectValue(value, t.appendContext(context, 'type', json, value), 'value', message)
  })

const mayBeTyped = object({}, { type: string })

/** A codec for a text or a list of `item`s, with its text unchanged. */
const textOrList = (item: Codec<Json>): Codec<Json> =>
  keep((value, context) => {
    if (anyString.is(value)) return t.success(anyString)
    if (!anyArray.is(value))
      return rejectValue(value, context, 'string_type', 'must be a string or an array')
    return t.success(array(item))
  })

const inputText = strictObject({ type: string, text: anyString }, { prompt_cache_breakpoint: json })
const inputJson = strictObject({ type: string, data: json }, {})

/** What instructions are made of. */
const instructions = textOrList(byType({ input_text: inputText, input_json: inputJson }))

/** What messages are made of. The parts of an assistant's message are not told apart from those of others. */
const content = textOrList(
  byType({
    input_text: inputText,
    input_json: inputJson,
    output_text: strictObject({ type: string, text: anyString }, {}),
    refusal: strictObject({ type: string, refusal: anyString }, {}),
  }),
)

const toolMembers = { id: anyString, namespace: anyString, status: anyString }
const toolOutput = strictObject({ type: string, call_id: anyString, output: content }, toolMembers)

/** A message, or a call of a tool or its output. */
const item = byType(
  {
    message: strictObject({ role: anyString, content }, { type: string, phase: anyString }),
    function_call: strictObject(
      { type: string, call_id: anyString, name: anyString, arguments: anyString },
      toolMembers,
    ),
    function_call_output: toolOutput,
    custom_tool_call: strictObject(
      { type: string, call_id: anyString, name: anyString, input: anyString },
      toolMembers,
    ),
    custom_tool_call_output: toolOutput,
  },
  'message',
)

const predicate = strictObject({ type: literal('predicate'), instructions }, { name: string })

const choice = strictObject(
  {
    type: literal('choice'),
    instructions,
    choices: array(
      strictObject(
        {
          value: keep((value, context) =>
            json.is(value) && (kindOf(value) === 'string' || kindOf(value) === 'boolean')
              ? t.success(json)
              : rejectValue(value, context, 'string_type', 'must be a string or a boolean'),
          ),
        },
        { description: anyString },
      ),
    ),
  },
  { name: string },
)

const score = strictObject(
  {
    type: literal('score'),
    instructions,
    levels: array(strictObject({ label: anyString }, { description: anyString })),
  },
  { name: string },
)

/** A question as this dialect writes it. Its texts are kept as they are written. */
export type WireQuestion =
  | t.TypeOf<typeof predicate>
  | t.TypeOf<typeof choice>
  | t.TypeOf<typeof score>

const validateQuestion = (value: unknown, context: t.Context): t.Validation<WireQuestion> => {
  if (!anyObject.is(value)) return rejectValue(value, context, 'object_type', 'must be an object')
  const named = typed.validate(value, context)
  if (E.isLeft(named)) return named
  switch (named.right.type) {
    case 'predicate':
      return predicate.validate(value, context)
    case 'choice':
      return choice.validate(value, context)
    case 'score':
      return score.validate(value, context)
    default:
      return rejectValue(
        value,
        t.appendContext(context, 'type', json, value),
        'value',
        'must be one of predicate, choice, score',
      )
  }
}

const question: Codec<WireQuestion> = new t.Type(
  'a question',
  (value): value is WireQuestion => [predicate, choice, score].some((one) => one.is(value)),
  validateQuestion,
  (one) => {
    switch (one.type) {
      case 'predicate':
        return predicate.encode(one)
      case 'choice':
        return choice.encode(one)
      case 'score':
        return score.encode(one)
    }
  },
)

/** A codec for the request document of this dialect. Members that it does not know are faults. P12 */
export const RequestDocument = strictObject(
  { model: string, input: textOrList(item), questions: array(question) },
  { prompt_cache_key: json, prompt_cache_options: json, safety_identifier: json },
)

/** The request document of this dialect. */
export type RequestDocument = t.TypeOf<typeof RequestDocument>
