import * as E from 'fp-ts/Either'
import { mediaTypeOf, type RequestImage } from '../../codec/images'
import { type Draft, plainText } from '../../codec/json/draft'
import { memberIn } from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import type { RequestQuestion } from '../../codec/question'
import { decodeAnyModelList } from '../../codec/response'
import type { Redact } from '../../failure/text/secret'
import { decodeCommonFailure } from './decode-failure'
import { assignWireIds, decodeGeminiResponse } from './decode-gemini'
import type { Dialect, ErrorResponse, FailureDetails, ModelRequest } from './dialect'
import { encodeDocument, formatContent } from './encode-document'

const encodeQuestion = (question: RequestQuestion): Draft => {
  // `encodeDocument` fails for a question of this type, so it is never sent.
  if (question.type === 'other') return question.raw
  const { type } = question
  const instructions = formatContent(question.instructions)
  switch (type) {
    // A yes/no question.
    case 'noul': {
      const yes = formatContent(question.criteria?.true)
      const no = formatContent(question.criteria?.false)
      const hasCriteria = yes !== undefined || no !== undefined
      const criteria = hasCriteria ? { true_description: yes, false_description: no } : undefined
      return { type, instructions, criteria }
    }
    case 'choice': {
      const descriptions = new Map<string, Draft>()
      for (const [label, description] of question.criteria ?? [])
        descriptions.set(label, description === null ? null : plainText(description))
      return { type, instructions, criteria: descriptions }
    }
    case 'score':
      return { type, instructions, criteria: (question.criteria ?? []).map(plainText) }
  }
}

const encodeQuestions = (questions: ModelRequest['request']['questions']): Draft => {
  const encoded = new Map<string, Draft>()
  for (const { wireId, question } of assignWireIds(questions))
    encoded.set(wireId, encodeQuestion(question))
  return encoded
}

/**
 * Encodes a state, the JSON that the questions are about, with its images as a list of parts: the text of the state, then the
 * name of each image and the image.
 */
const encodeParts = (stateText: string, images: ReadonlyArray<RequestImage>): Draft => [
  { type: 'text', text: stateText },
  ...images.flatMap(({ name, format, base64 }) => [
    { type: 'text', text: name },
    { type: 'image', mime_type: mediaTypeOf(format), data: base64 },
  ]),
]

/**
 * Decodes an error response. Status 400 with `prompt_feedback` means that Gemini blocked the request: it refuses every
 * question.
 */
const decodeFailureOrBlock = (response: ErrorResponse, redact: Redact): FailureDetails => {
  const details = decodeCommonFailure(response, redact)
  const document = parseJson(response.body)
  const promptFeedback = E.isRight(document)
    ? memberIn(document.right, 'prompt_feedback')
    : undefined
  const isRefusal = response.status === 400 && promptFeedback instanceof Map
  return isRefusal ? { ...details, isRefusal } : details
}

/** The dialect of Gemini's decisions API. */
export const geminiDialect: Dialect = {
  name: 'gemini',
  askPath: '/v1beta/decisions',
  modelsPath: '/v1beta/models',
  keyHeader: 'x-goog-api-key',
  requestIdHeader: '',
  defaultModel: undefined,
  encodeRequest: (modelRequest) =>
    encodeDocument(modelRequest, {
      encodeQuestions,
      encodeImages: encodeParts,
    }),
  decodeResponse: decodeGeminiResponse,
  decodeFailure: decodeFailureOrBlock,
  decodeModels: decodeAnyModelList,
}
