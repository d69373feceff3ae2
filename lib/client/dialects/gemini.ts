import * as E from 'fp-ts/Either'
import { mediaTypeOf, type RequestImage } from '../../codec/images'
import { type Draft, plainText } from '../../codec/json/draft'
import { memberIn } from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import { decodeAnyModelList } from '../../codec/models'
import type { RequestQuestion } from '../../codec/question'
import type { Redact } from '../../failure/text/redact'
import { contentTextIn, encodeDocument } from './contents'
import type { Dialect, ErrorResponse, FailureDetails } from './dialect'
import { decodeFailure } from './failures'
import { assignWireIds, decodeGeminiResponse } from './gemini-answers'

const writeQuestion = (question: RequestQuestion): Draft => {
  if (question.type === 'other') return question.raw
  const { type } = question
  const instructions = contentTextIn(question.instructions)
  switch (type) {
    case 'noul': {
      const yes = contentTextIn(question.criteria?.true)
      const no = contentTextIn(question.criteria?.false)
      const criteria = (yes ?? no) && { true_description: yes, false_description: no }
      return { type, instructions, criteria }
    }
    case 'choice': {
      const labels = (question.criteria ?? []).map(
        ([label, description]) => [label, contentTextIn(description ?? undefined) ?? null] as const,
      )
      return { type, instructions, criteria: new Map<string, Draft>(labels) }
    }
    case 'score':
      return { type, instructions, criteria: (question.criteria ?? []).map(plainText) }
  }
}

/** Writes a state with images as a list of parts: its text, then the name of each image before the image. */
const writeParts = (state: string, images: ReadonlyArray<RequestImage>): Draft => [
  { type: 'text', text: state },
  ...images.flatMap(({ name, format, base64 }) => [
    { type: 'text', text: name },
    { type: 'image', mime_type: mediaTypeOf(format), data: base64 },
  ]),
]

/** Reads a failure. A 400 that reports a block is the answer to every question. */
const readFailureOrBlock = (reply: ErrorResponse, redact: Redact): FailureDetails => {
  const trouble = decodeFailure(reply, redact)
  const document = parseJson(reply.body)
  const block = E.isRight(document) ? memberIn(document.right, 'prompt_feedback') : undefined
  const isBlock = reply.status === 400 && block instanceof Map
  return isBlock ? { ...trouble, isAnswer: true } : trouble
}

/** Gemini's decisions. */
export const geminiDialect: Dialect = {
  name: 'gemini',
  askPath: '/v1beta/decisions',
  modelsPath: '/v1beta/models',
  keyHeader: 'x-goog-api-key',
  requestIdHeader: '',
  defaultModel: undefined,
  encodeRequest: (asked) =>
    encodeDocument(asked, {
      createReviewQuestions: (questions) =>
        new Map<string, Draft>(
          assignWireIds(questions).map(([id, , one]) => [id, writeQuestion(one)] as const),
        ),
      writeImages: writeParts,
    }),
  decodeResponse: decodeGeminiResponse,
  decodeFailure: readFailureOrBlock,
  decodeModels: decodeAnyModelList,
}
