import * as E from 'fp-ts/Either'
import type { ReceivedAnswer } from '../../codec/answer'
import { type Decoded, json, mapOf, string } from '../../codec/combinators'
import { mediaTypeOf, type RequestImage } from '../../codec/images'
import { changeMembers, type Draft, plainText, toObject } from '../../codec/json/draft'
import { type JsonValue, memberIn } from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import { object } from '../../codec/object'
import type { RequestQuestion } from '../../codec/question'
import {
  type AskResponse,
  createUsageDecoder,
  decodeAnyModelList,
  decodeResponseBody,
} from '../../codec/response'
import { type Failure, invalidResponse } from '../../failure/failure'
import type { Redact } from '../../text/secret'
import {
  collectAnswers,
  completeResponse,
  createLegend,
  type DecodedAnswer,
  decodeAnswerInOwnForm,
  decodeType,
  responseMembers,
} from './decode-answers'
import { decodeCommonFailure } from './decode-failure'
import type { Dialect, ErrorResponse, FailureDetails, ModelRequest } from './dialect'
import { encodeDocument, formatContent } from './encode-document'

const encodeQuestion = (question: RequestQuestion): Draft => {
  // `other` is any type that svc does not know. `encodeDocument` fails for it, so it is never sent.
  if (question.type === 'other') return question.raw
  const { type } = question
  const instructions = formatContent(question.instructions)
  switch (type) {
    // `noul` is svc's word for a yes/no question.
    case 'noul': {
      const yes = formatContent(question.criteria?.true)
      const no = formatContent(question.criteria?.false)
      const hasCriteria = yes !== undefined || no !== undefined
      const criteria = hasCriteria ? { true_description: yes, false_description: no } : undefined
      return { type, instructions, criteria }
    }
    case 'choice': {
      const descriptions = new Map<string, Draft>()
      // Gemini has no null here: an empty text means that an option has no description.
      for (const [label, description] of question.criteria ?? [])
        descriptions.set(label, description === null ? '' : plainText(description))
      return { type, instructions, criteria: descriptions }
    }
    case 'score':
      return { type, instructions, criteria: (question.criteria ?? []).map(plainText) }
  }
}

/** A question, and its id in requests to Gemini. */
interface WireIdQuestion {
  readonly wireId: string
  readonly id: string
  readonly question: RequestQuestion
}

/**
 * Assigns ids that Gemini accepts: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `_` and `-`. Other ids become `q1`, `q2` and so on.
 */
const assignWireIds = (
  questions: ModelRequest['request']['questions'],
): ReadonlyArray<WireIdQuestion> => {
  const usedIds = new Set(questions.map(([id]) => id))
  let lastNumber = 0
  const createWireId = (): string => {
    do {
      lastNumber += 1
    } while (usedIds.has(`q${lastNumber}`))
    return `q${lastNumber}`
  }
  return questions.map(([id, question]) => {
    const isAccepted = /^[A-Za-z0-9_-]{1,64}$/.test(id)
    return { wireId: isAccepted ? id : createWireId(), id, question }
  })
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

const usageDecoder = createUsageDecoder('total_input_tokens', 'total_output_tokens')
const promptFeedbackDecoder = object({}, { block_reason: string, block_reason_message: string })
const responseDecoder = object(
  {},
  {
    ...responseMembers,
    answers: mapOf(json),
    prompt_feedback: promptFeedbackDecoder,
    usage: usageDecoder,
  },
)

/** Decodes answers by id. If the whole request was blocked, every answer is a refusal. */
const decodeResponse: Dialect['decodeResponse'] = (modelRequest, response) => {
  const received = decodeResponseBody(responseDecoder, response.body)
  if (E.isLeft(received)) return received
  const { answers, prompt_feedback: promptFeedback } = received.right
  const hasAnswers = answers !== undefined && answers.size > 0
  if (promptFeedback !== undefined && !hasAnswers) {
    const reason = response.redactText(formatBlockReason(promptFeedback))
    const refusals = createRefusals(modelRequest, reason)
    return E.right(completeResponse(modelRequest, response, received.right, refusals))
  }
  const decoded = decodeAnswers(modelRequest, answers)
  if (E.isLeft(decoded)) return decoded
  return E.right(completeResponse(modelRequest, response, received.right, decoded.right))
}

const decodeAnswers = (
  { request, mayLackAnswers }: ModelRequest,
  received: ReadonlyMap<string, JsonValue> | undefined,
): E.Either<Failure, AskResponse['answers']> => {
  if (received === undefined) return E.left(invalidResponse('answers', 'is required'))
  const assigned = assignWireIds(request.questions)
  const questionsByWireId = new Map(assigned.map((entry) => [entry.wireId, entry] as const))
  const decoded: DecodedAnswer[] = []
  for (const [wireId, answer] of received) {
    const entry = questionsByWireId.get(wireId)
    if (entry === undefined)
      return E.left(invalidResponse('answers', 'has an answer to a question that was not asked'))
    decoded.push([entry.id, decodeAnswer(answer, entry.id, entry.question)])
  }
  for (const { wireId, id } of questionsByWireId.values())
    if (!received.has(wireId) && !mayLackAnswers)
      decoded.push([id, E.left(invalidResponse(`answers.${id}`, 'is required'))])
  return collectAnswers(decoded)
}

const decodeAnswer = (
  received: JsonValue,
  id: string,
  question: RequestQuestion,
): E.Either<Failure, ReceivedAnswer> => {
  const type = decodeType(received, ['answers', id])
  if (E.isLeft(type)) return type
  if (type.right !== question.type && type.right !== 'refusal')
    return E.left(invalidResponse(`answers.${id}.type`, `must be "${question.type}"`))
  const answer = decodeAnswerInOwnForm(received, question, ['answers', id])
  if (E.isLeft(answer) || type.right === 'refusal' || question.type !== 'score') return answer
  // Gemini's legend leaves out empty levels and has the others as texts, so the legend is created from the question.
  const legend = { name: 'legend', value: createLegend(question) }
  return E.right({ ...answer.right, json: changeMembers(answer.right.json, [legend]) })
}

/** Formats the reason of a block, followed by its message; `''` if the service gives neither. */
const formatBlockReason = (promptFeedback: Decoded<typeof promptFeedbackDecoder>): string =>
  [promptFeedback.block_reason, promptFeedback.block_reason_message]
    .filter((text) => text)
    .join(': ')

/** Answers every question with a refusal, which has no reason if `reason` is `''`. */
const createRefusals = ({ request }: ModelRequest, reason: string): AskResponse['answers'] => {
  const type = 'refusal'
  const refusal: ReceivedAnswer =
    reason === ''
      ? { type, json: toObject({ type }) }
      : { type, reason, json: toObject({ type, reason }) }
  return new Map(request.questions.map(([id]) => [id, refusal]))
}

/**
 * Decodes an error response. Status 400 with `prompt_feedback` means that Gemini blocked the request: it refuses every
 * question.
 */
const decodeFailure = (response: ErrorResponse, redact: Redact): FailureDetails => {
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
  maxQuestions: 1000,
  encodeRequest: (modelRequest) =>
    encodeDocument(modelRequest, { encodeQuestions, encodeStateWithImages: encodeParts }),
  decodeResponse,
  decodeFailure,
  decodeModels: decodeAnyModelList,
}
