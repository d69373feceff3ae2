import * as E from 'fp-ts/Either'
import { mediaTypeOf, type RequestImage } from '../../codec/images'
import { type Draft, plainText } from '../../codec/json/draft'
import { memberIn } from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import { decodeAnyModelList } from '../../codec/models'
import type { RequestQuestion } from '../../codec/question'
import type { Redact } from '../../failure/text/secret'
import { decodeFailure } from './decode-failure'
import { assignWireIds, decodeGeminiResponse } from './decode-gemini'
import type { Dialect, ErrorResponse, FailureDetails, ModelRequest } from './dialect'
import { encodeDocument, formatContent } from './encode-document'

const encodeQuestion = (question: RequestQuestion): Draft => {
  if (question.type === 'other') return question.raw
  const { type } = question
  const instructions = formatContent(question.instructions)
  switch (type) {
    case 'noul': {
      const yes = formatContent(question.criteria?.true)
      const no = formatContent(question.criteria?.false)
      const criteria = (yes ?? no) && { true_description: yes, false_description: no }
      return { type, instructions, criteria }
    }
    case 'choice': {
      const labels = (question.criteria ?? []).map(
        ([label, description]) => [label, formatContent(description ?? undefined) ?? null] as const,
      )
      return { type, instructions, criteria: new Map<string, Draft>(labels) }
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

/** Encodes a state with images as a list of parts: the text of the state, then the name of each image and the image. */
const encodeParts = (stateText: string, images: ReadonlyArray<RequestImage>): Draft => [
  { type: 'text', text: stateText },
  ...images.flatMap(({ name, format, base64 }) => [
    { type: 'text', text: name },
    { type: 'image', mime_type: mediaTypeOf(format), data: base64 },
  ]),
]

/** Decodes an error response. Status 400 with `prompt_feedback` is the answer to every question: a refusal. */
const decodeFailureOrBlock = (response: ErrorResponse, redact: Redact): FailureDetails => {
  const details = decodeFailure(response, redact)
  const document = parseJson(response.body)
  const block = E.isRight(document) ? memberIn(document.right, 'prompt_feedback') : undefined
  const isBlock = response.status === 400 && block instanceof Map
  return isBlock ? { ...details, isRefusal: true } : details
}

/** The dialect of Gemini's decisions API. */
export const geminiDialect: Dialect = {
  name: 'gemini',
  askPath: '/v1beta/decisions',
  modelsPath: '/v1beta/models',
  keyHeader: 'x-goog-api-key',
  requestIdHeader: '',
  defaultModel: undefined,
  encodeRequest: (asked) =>
    encodeDocument(asked, {
      encodeQuestions,
      encodeImages: encodeParts,
    }),
  decodeResponse: decodeGeminiResponse,
  decodeFailure: decodeFailureOrBlock,
  decodeModels: decodeAnyModelList,
}
