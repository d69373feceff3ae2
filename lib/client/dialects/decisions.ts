import * as E from 'fp-ts/Either'
import type { ReceivedAnswer } from '../../codec/answer'
import { array, integer, json, jsonNumber, string } from '../../codec/combinators'
import { formatLoc, type Loc } from '../../codec/fault'
import type { RequestImage } from '../../codec/images'
import { type Change, changeMembers, type Draft, plainText } from '../../codec/json/draft'
import {
  type JsonValue,
  Literal,
  memberIn,
  membersIn,
  numberOf,
  stringIn,
} from '../../codec/json/json'
import { object } from '../../codec/object'
import type { Noul, RequestQuestion } from '../../codec/question'
import type { AskRequest } from '../../codec/request'
import { decodeAnyModelList, decodeResponseBody } from '../../codec/response'
import { type Failure, invalidResponse } from '../../failure/failure'
import {
  collectAnswers,
  completeResponse,
  createLegend,
  type DecodedAnswer,
  decodeAnswerFields,
  decodeAnswerInOwnForm,
  decodeType,
  responseMembers,
} from './decode-answers'
import { decodeCommonFailure } from './decode-failure'
import { type Dialect, decisionsRoute } from './dialect'
import { encodeDocument, formatContent } from './encode-document'
import { formatDataUrl } from './service-form'

/** Encodes a question, with its id as its name. */
const encodeQuestion = ([name, question]: readonly [string, RequestQuestion]): Draft => {
  switch (question.type) {
    case 'noul':
      return { type: 'predicate', name, instructions: appendCriteria(question) }
    case 'choice': {
      const choices = (question.criteria ?? []).map(([value, description]) => ({
        value,
        description: description === null ? undefined : plainText(description),
      }))
      return { type: 'choice', name, instructions: formatContent(question.instructions), choices }
    }
    case 'score': {
      const levels = (question.criteria ?? []).map((level) => ({ label: plainText(level) }))
      return { type: 'score', name, instructions: formatContent(question.instructions), levels }
    }
    case 'other':
      // `other` is any type that svc does not know. `encodeDocument` fails for it, so it is never sent.
      return question.raw
  }
}

/**
 * Appends the criteria of a yes/no question (type `noul`) to its instructions, because the dialect has no field for them.
 * `encodeDocument` has checked that there are instructions.
 */
const appendCriteria = ({ instructions, criteria }: Noul): Draft | undefined => {
  const text = formatContent(instructions)
  const criteriaLines: string[] = []
  if (criteria?.true !== undefined) criteriaLines.push(`Answer yes if: ${plainText(criteria.true)}`)
  if (criteria?.false !== undefined)
    criteriaLines.push(`Answer no if: ${plainText(criteria.false)}`)
  if (text === undefined || criteriaLines.length === 0) return text
  return `${text}\n\n${criteriaLines.join('\n')}`
}

/**
 * Encodes a state, the JSON that the questions are about, with its images as one message: the text of the state, then the name
 * of each image and the image.
 */
const encodeMessage = (stateText: string, images: ReadonlyArray<RequestImage>): Draft => [
  {
    role: 'user',
    content: [
      { type: 'input_text', text: stateText },
      ...images.flatMap((image) => [
        { type: 'input_text', text: image.name },
        { type: 'input_image', image_url: formatDataUrl(image) },
      ]),
    ],
  },
]

const responseDecoder = object({ answers: array(json) }, responseMembers)

/**
 * Decodes a response of the `decisions` dialect, whose answers are in the order of the questions. If some are missing although the
 * request allows that, the names of the answers tell which.
 */
const decodeResponse: Dialect['decodeResponse'] = (modelRequest, response) => {
  const received = decodeResponseBody(responseDecoder, response.body)
  if (E.isLeft(received)) return received
  const { answers } = received.right
  const questions = modelRequest.mayLackAnswers
    ? selectNamedQuestions(modelRequest.request.questions, answers)
    : modelRequest.request.questions
  if (answers.length !== questions.length) {
    const message = `must have one answer for each of ${questions.length} questions, has ${answers.length}`
    return E.left(invalidResponse('answers', message))
  }
  const decoded = questions.map(([id, question], index): DecodedAnswer => {
    // There are as many answers as questions.
    const answer = answers[index] as JsonValue
    return [id, decodeAnswer(answer, id, question, ['answers', index])]
  })
  const collected = collectAnswers(decoded)
  if (E.isLeft(collected)) return collected
  return E.right(completeResponse(modelRequest, response, received.right, collected.right))
}

/** Returns the questions whose ids are the names of the answers, in their order; all questions if an answer has no such name. */
const selectNamedQuestions = (
  questions: AskRequest['questions'],
  answers: ReadonlyArray<JsonValue>,
): AskRequest['questions'] => {
  if (answers.length === questions.length) return questions
  const byId = new Map(questions.map((entry) => [entry[0], entry] as const))
  const named = answers.map((answer) => byId.get(stringIn(memberIn(answer, 'name')) ?? ''))
  const known = named.filter((entry) => entry !== undefined)
  return new Set(known).size === answers.length ? known : questions
}

const answerNameDecoder = object({}, { name: string })
const predicateDecoder = object({ probability: jsonNumber }, {})
const choiceDecoder = object(
  { choice: string },
  {
    confidence: jsonNumber,
    probabilities: array(object({ value: string, probability: jsonNumber }, {})),
  },
)
const scoreDecoder = object(
  { score: jsonNumber },
  {
    confidence: jsonNumber,
    probabilities: array(object({ value: integer, probability: jsonNumber }, {})),
  },
)

/** The type that an answer must have in this dialect, by the type of the question; `''` for other types, which are never sent. */
const answerTypes: Readonly<Record<RequestQuestion['type'], string>> = {
  noul: 'predicate',
  choice: 'choice',
  score: 'score',
  other: '',
}

/**
 * Decodes an answer. If it has a name, the name must be the id of the question. `loc` is the path of the answer in the
 * response.
 */
const decodeAnswer = (
  received: JsonValue,
  id: string,
  question: RequestQuestion,
  loc: Loc,
): E.Either<Failure, ReceivedAnswer> => {
  const fields = decodeAnswerFields(answerNameDecoder, received, loc)
  if (E.isLeft(fields)) return fields
  const { name } = fields.right
  if (name !== undefined && name !== id)
    return E.left(invalidResponse(formatLoc([...loc, 'name']), `must be ${JSON.stringify(id)}`))
  const type = decodeType(received, loc)
  if (E.isLeft(type)) return type
  const expectedType = answerTypes[question.type]
  if (type.right !== expectedType && type.right !== 'refusal')
    return E.left(invalidResponse(formatLoc([...loc, 'type']), `must be "${expectedType}"`))
  const changes = type.right === 'refusal' ? E.right([]) : listChanges(received, question, loc)
  if (E.isLeft(changes)) return changes
  // The form of the `questions` dialect has no names.
  const namesToDrop = ['name']
  const converted = changeMembers(membersIn(received), changes.right, namesToDrop)
  return decodeAnswerInOwnForm(converted, question, loc)
}

/**
 * Lists the changes that turn an answer into one of the `questions` dialect, in which a yes/no answer has the type `noul` and its
 * probability in the field `noul`.
 */
const listChanges = (
  received: JsonValue,
  question: RequestQuestion,
  loc: Loc,
): E.Either<Failure, ReadonlyArray<Change>> => {
  switch (question.type) {
    case 'noul': {
      const decoded = decodeAnswerFields(predicateDecoder, received, loc)
      if (E.isLeft(decoded)) return decoded
      return E.right([
        { name: 'type', value: 'noul' },
        { name: 'probability', value: decoded.right.probability, newName: 'noul' },
      ])
    }
    case 'choice': {
      const decoded = decodeAnswerFields(choiceDecoder, received, loc)
      if (E.isLeft(decoded)) return decoded
      return E.right([
        { name: 'probabilities', value: createProbabilityTable(decoded.right.probabilities) },
      ])
    }
    case 'score': {
      const decoded = decodeAnswerFields(scoreDecoder, received, loc)
      if (E.isLeft(decoded)) return decoded
      return E.right([
        { name: 'legend', value: createLegend(question) },
        { name: 'probabilities', value: createProbabilityTable(decoded.right.probabilities) },
      ])
    }
    case 'other':
      return E.right([])
  }
}

/**
 * A probability of a list, and what it belongs to: a label of a choice, or the index of a level of a score. A `Literal` is a JSON
 * number that keeps its digits.
 */
interface ListedProbability {
  readonly value: string | Literal
  readonly probability: Literal
}

/**
 * Creates a table of probabilities by label or index, in the order of the list. The last probability of a repeated label
 * counts.
 */
const createProbabilityTable = (
  entries: ReadonlyArray<ListedProbability> = [],
): ReadonlyMap<string, Draft> =>
  new Map<string, Draft>(
    entries.map(({ value, probability }) => [
      value instanceof Literal ? String(numberOf(value)) : value,
      probability,
    ]),
  )

/** The dialect of OpenAI's decisions API. */
export const decisionsDialect: Dialect = {
  name: 'decisions',
  ...decisionsRoute,
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  defaultModel: undefined,
  maxQuestions: 400,
  encodeRequest: (modelRequest) =>
    encodeDocument(modelRequest, {
      encodeQuestions: (questions) => questions.map(encodeQuestion),
      encodeStateWithImages: encodeMessage,
    }),
  decodeResponse,
  decodeFailure: (response, redact) => {
    const details = decodeCommonFailure(response, redact)
    // OpenAI's own clients retry status 409.
    return response.status === 409 ? { ...details, mayRetry: details.mayRetry ?? true } : details
  },
  decodeModels: decodeAnyModelList,
}
