/**
 * Decodes the request document of the `decisions` dialect, which `svc serve` accepts, and extracts its images. `strictObject` takes the
 * decoders of the required members, then those of the optional ones.
 */
import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import {
  array,
  createDecoder,
  type Decoded,
  type Decoder,
  exactString,
  json,
  string,
} from '../../codec/combinators'
import { contextOf, type Fault, rejectValue } from '../../codec/fault'
import { type ImageFormat, isBase64, type RequestImage } from '../../codec/images'
import { isArray, isObject, type JsonValue, memberIn, stringIn } from '../../codec/json/json'
import { type MemberDecoders, object, objectWithType, strictObject } from '../../codec/object'

const optionalType = object({}, { type: string })

/** Creates a decoder of objects that uses the decoder for their `type`. An object without a type has the type `defaultType`. */
const createByTypeDecoder = <M extends MemberDecoders>(
  decoders: M,
  defaultType?: keyof M & string,
) =>
  createDecoder('an object', (value, context): t.Validation<Decoded<M[keyof M]>> => {
    const typeDecoder = defaultType === undefined ? objectWithType : optionalType
    const decodedType = typeDecoder.validate(value, context)
    if (E.isLeft(decodedType)) return decodedType
    const type = decodedType.right.type ?? defaultType ?? ''
    // TypeScript does not see that `type` is now the name of a decoder.
    if (Object.hasOwn(decoders, type))
      return (decoders[type] as Decoder<Decoded<M[keyof M]>>).validate(value, context)
    // Instructions may not have images, although the content of messages may.
    const message =
      type === 'input_image'
        ? 'an image must be a part of the input'
        : `must be one of ${Object.keys(decoders).join(', ')}`
    return rejectValue(value, contextOf(context, 'type', json, value), 'value', message)
  })

/** Creates a decoder that accepts a text, or a list of elements that `element` accepts. It returns the value unchanged. */
const createTextOrListDecoder = (element: Decoder<unknown>) =>
  createDecoder('a string or an array', (value, context): t.Validation<JsonValue> => {
    if (typeof value === 'string') return t.success(value)
    if (!isArray(value))
      return rejectValue(value, context, 'string_type', 'must be a string or an array')
    const decoded = array(element).validate(value, context)
    return E.isLeft(decoded) ? decoded : t.success(value)
  })

const inputText = strictObject({ type: string, text: string }, { prompt_cache_breakpoint: json })

/** The data of a JSON part: an object, or an array of objects. */
const jsonData = createDecoder<JsonValue>('an object or an array of objects', (value, context) => {
  const isObjects = isArray(value) ? value.every(isObject) : isObject(value)
  return isObjects
    ? t.success(value as JsonValue)
    : rejectValue(value, context, 'object_type', 'must be an object or an array of objects')
})

const inputJson = strictObject({ type: string, data: jsonData }, {})

const inputImage = strictObject(
  { type: string, image_url: string },
  { detail: json, prompt_cache_breakpoint: json },
)

/** Instructions: a text, or parts without images. */
const instructions = createTextOrListDecoder(
  createByTypeDecoder({ input_text: inputText, input_json: inputJson }),
)

const outputText = strictObject({ type: string, text: string }, {})
const refusal = strictObject({ type: string, refusal: string }, {})

/** The output of a tool: a text or parts. */
const toolContent = createTextOrListDecoder(
  createByTypeDecoder({ input_text: inputText, input_image: inputImage }),
)

/** The optional members of a tool call and of its output. */
const toolMembers = { id: string, namespace: string, status: string }
const toolOutput = strictObject({ type: string, call_id: string, output: toolContent }, toolMembers)

const instructionMessage = strictObject(
  {
    role: string,
    content: createTextOrListDecoder(createByTypeDecoder({ input_text: inputText })),
  },
  { type: string },
)

/** A message by its role. The role decides which parts its content may have. */
const messagesByRole = {
  user: strictObject(
    {
      role: string,
      content: createTextOrListDecoder(
        createByTypeDecoder({
          input_text: inputText,
          input_json: inputJson,
          input_image: inputImage,
        }),
      ),
    },
    { type: string },
  ),
  developer: instructionMessage,
  system: instructionMessage,
  assistant: strictObject(
    {
      role: string,
      content: createTextOrListDecoder(createByTypeDecoder({ output_text: outputText, refusal })),
    },
    { type: string, phase: string },
  ),
} as const

const isRole = (role: string): role is keyof typeof messagesByRole =>
  Object.hasOwn(messagesByRole, role)

const objectWithRole = object({ role: string }, {})

const message = createDecoder('a message', (value, context): t.Validation<unknown> => {
  const decoded = objectWithRole.validate(value, context)
  if (E.isLeft(decoded)) return decoded
  const { role } = decoded.right
  if (isRole(role)) return messagesByRole[role].validate(value, context)
  const names = Object.keys(messagesByRole).join(', ')
  return rejectValue(
    value,
    contextOf(context, 'role', string, role),
    'value',
    `must be one of ${names}`,
  )
})

/** An item of the input: a message, a tool call or its output. An item without a type is a message. */
const inputItem = createByTypeDecoder(
  {
    message,
    function_call: strictObject(
      { type: string, call_id: string, name: string, arguments: string },
      toolMembers,
    ),
    function_call_output: toolOutput,
    custom_tool_call: strictObject(
      { type: string, call_id: string, name: string, input: string },
      toolMembers,
    ),
    custom_tool_call_output: toolOutput,
  },
  'message',
)

/** The value of an option of a choice. */
const choiceValue = createDecoder<JsonValue>('a string or a boolean', (value, context) =>
  typeof value === 'string' || typeof value === 'boolean'
    ? t.success(value)
    : rejectValue(value, context, 'string_type', 'must be a string or a boolean'),
)

/** Makes a decoder refuse `null` as a description. `null` is allowed for all other optional members. */
const refuseNullDescription = <A>(option: Decoder<A>): Decoder<A> =>
  createDecoder(option.name, (value, context) => {
    const description = isObject(value) ? value.get('description') : undefined
    return description === null
      ? rejectValue(
          null,
          contextOf(context, 'description', string, null),
          'string_type',
          'must be a string',
        )
      : option.validate(value, context)
  })

const optionalDescription = { description: string }
const question = createByTypeDecoder({
  predicate: strictObject({ type: exactString('predicate'), instructions }, { name: string }),
  choice: strictObject(
    {
      type: exactString('choice'),
      instructions,
      choices: array(
        refuseNullDescription(strictObject({ value: choiceValue }, optionalDescription)),
      ),
    },
    { name: string },
  ),
  score: strictObject(
    {
      type: exactString('score'),
      instructions,
      levels: array(refuseNullDescription(strictObject({ label: string }, optionalDescription))),
    },
    { name: string },
  ),
})

/** A question in the form of this dialect. */
export type WireQuestion = Decoded<typeof question>

/** The request document of this dialect. Unknown members are faults. */
export const decisionsRequest = strictObject(
  { model: string, input: createTextOrListDecoder(inputItem), questions: array(question) },
  { prompt_cache_key: json, prompt_cache_options: json, safety_identifier: json },
)

/** An input whose images are replaced by their names. */
interface ExtractedImages {
  readonly input: JsonValue
  readonly images: ReadonlyArray<RequestImage>
  /** The invalid images. */
  readonly faults: ReadonlyArray<Fault>
}

const invalidDataUrl = {
  type: 'value',
  message: 'must be a data: URL with a PNG, JPEG or WebP image in base64',
} as const

/** Extracts the images of an input in OpenAI's form, and replaces them by names such as `image_1`. */
export const extractImages = (input: JsonValue): ExtractedImages => {
  if (!Array.isArray(input)) return { input, images: [], faults: [] }
  const images: RequestImage[] = []
  const faults: Fault[] = []
  /** Adds the image of a part to `images`, or a fault to `faults`. Returns the part with the name of the image. */
  const extractImage = (part: JsonValue, loc: Fault['loc']): JsonValue => {
    if (stringIn(memberIn(part, 'type')) !== 'input_image') return part
    const name = `image_${images.length + 1}`
    const image = parseDataUrl(name, stringIn(memberIn(part, 'image_url')) ?? '')
    if (image === undefined) faults.push({ ...invalidDataUrl, loc: [...loc, 'image_url'] })
    else images.push(image)
    return replaceMember(part, 'image_url', name)
  }
  const itemsWithNames = input.map((item, index) => {
    let newItem = item
    for (const member of ['content', 'output']) {
      const parts = memberIn(item, member)
      if (!Array.isArray(parts)) continue
      const newParts = parts.map((part, partIndex) =>
        extractImage(part, ['input', index, member, partIndex]),
      )
      newItem = replaceMember(newItem, member, newParts)
    }
    return newItem
  })
  return { input: itemsWithNames, images, faults }
}

const replaceMember = (container: JsonValue, name: string, value: JsonValue): JsonValue =>
  container instanceof Map ? new Map([...container, [name, value]]) : container

/** Parses a URL such as `data:image/png;base64,iVBORw0K`; `undefined` if it is not an image of a supported format. */
const parseDataUrl = (name: string, url: string): RequestImage | undefined => {
  const [prefix, format] = /^data:image\/(png|jpeg|webp);base64,/.exec(url) ?? []
  if (prefix === undefined) return undefined
  const base64 = url.slice(prefix.length)
  // The regular expression allows only formats of the type `ImageFormat`.
  return isBase64(base64) ? { name, format: format as ImageFormat, base64 } : undefined
}
