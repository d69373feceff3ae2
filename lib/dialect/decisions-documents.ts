import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { anyArray, anyString, array, type Codec, json, literal, string } from '../codec/combinators'
import { rejectValue } from '../codec/fault'
import { object, strictObject, typed } from '../codec/object'
import type { Draft } from '../json/draft'
import { type Json, kindOf } from '../json/json'

/** A codec for objects that are told apart by their `type`. `usual` is the type of one that has none. */
const byType = <C extends Readonly<Record<string, t.Mixed>>>(
  codecs: C,
  usual?: keyof C & string,
): Codec<t.TypeOf<C[keyof C]>> =>
  new t.Type<t.TypeOf<C[keyof C]>, Draft, unknown>(
    'an object',
    (value): value is t.TypeOf<C[keyof C]> => Object.values(codecs).some((one) => one.is(value)),
    (value, context) => {
      const named = (usual === undefined ? typed : mayBeTyped).validate(value, context)
      if (E.isLeft(named)) return named
      const type = named.right.type ?? usual ?? ''
      if (Object.hasOwn(codecs, type)) return (codecs[type] as t.Mixed).validate(value, context)
      const message =
        type === 'input_image'
          ? 'images are not supported'
          : `must be one of ${Object.keys(codecs).join(', ')}`
      return rejectValue(value, t.appendContext(context, 'type', json, value), 'value', message)
    },
    (value) =>
      Object.values(codecs)
        .find((one) => one.is(value))
        ?.encode(value),
  )

const mayBeTyped = object({}, { type: string })

/** A codec for a text or a list of `item`s, with its text unchanged. */
const textOrList = <A>(item: Codec<A>): Codec<Json> =>
  new t.Type(
    'a string or an array',
    json.is,
    (value, context) => {
      if (anyString.is(value)) return t.success(value)
      if (!anyArray.is(value))
        return rejectValue(value, context, 'string_type', 'must be a string or an array')
      const read = array(item).validate(value, context)
      return E.isLeft(read) ? read : t.success(value)
    },
    t.identity,
  )

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

/** A text or a boolean, with its text unchanged. */
const choiceValue: Codec<Json> = new t.Type(
  'a string or a boolean',
  json.is,
  (value, context) =>
    json.is(value) && ['string', 'boolean'].includes(kindOf(value))
      ? t.success(value)
      : rejectValue(value, context, 'string_type', 'must be a string or a boolean'),
  t.identity,
)

const described = { description: anyString }
const question = byType({
  predicate: strictObject({ type: literal('predicate'), instructions }, { name: string }),
  choice: strictObject(
    {
      type: literal('choice'),
      instructions,
      choices: array(strictObject({ value: choiceValue }, described)),
    },
    { name: string },
  ),
  score: strictObject(
    {
      type: literal('score'),
      instructions,
      levels: array(strictObject({ label: anyString }, described)),
    },
    { name: string },
  ),
})

/** A question as this dialect writes it. Its texts are kept as they are written. */
export type WireQuestion = t.TypeOf<typeof question>

/** A codec for the request document of this dialect. Members that it does not know are faults. P12 */
export const RequestDocument = strictObject(
  { model: string, input: textOrList(item), questions: array(question) },
  { prompt_cache_key: json, prompt_cache_options: json, safety_identifier: json },
)
