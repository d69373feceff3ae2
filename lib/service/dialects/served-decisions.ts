import * as E from 'fp-ts/Either'
import { decisionsRoute } from '../../client/dialects/dialect'
import { type Fault, faultsOf, formatLoc } from '../../codec/fault'
import { createAssets } from '../../codec/images'
import { encodeText } from '../../codec/json/draft'
import { itemsIn, type JsonValue, memberIn, stringIn } from '../../codec/json/json'
import { maxLabels, maxLevels, type RequestQuestion } from '../../codec/question'
import { type DetailEntry, listFaults } from '../../codec/request-faults'
import { decisionsRequest, extractImages, type WireQuestion } from './decisions-request'
import { encodeDecisionsAnswers, type TwoFormQuestion } from './encode-decisions-answers'
import type { ServedDialect, ServedFailure } from './served-dialect'

/** The `decisions` dialect, for `svc serve`. */
export const servedDecisions: ServedDialect = {
  ...decisionsRoute,
  clientDialects: ['decisions'],
  stateMember: undefined,
  takesParts: false,
  maxQuestions: 400,
  matches: (document) =>
    memberIn(document, 'state') === undefined && memberIn(document, 'input') !== undefined,
  decodeRequest: (body) => {
    const decoded = decisionsRequest.decode(body)
    if (E.isLeft(decoded)) return E.left(listFaults(faultsOf(decoded.left)))
    const { model, input: inputWithImages, questions } = decoded.right
    const { input, images, faults: imageFaults } = extractImages(inputWithImages)
    const faults = [...imageFaults, ...checkQuestions(questions)]
    if (faults.length > 0) return E.left(listFaults(faults))
    const pairedQuestions = pairQuestions(questions)
    return E.right({
      request: {
        model,
        state: convertInput(input),
        questions: pairedQuestions.map(({ id, question }) => [id, question] as const),
        extra: createAssets(images),
      },
      encodeResponse: (response) => encodeDecisionsAnswers(pairedQuestions, response),
    })
  },
  encodeFailure: (failure) => ({
    status: chooseStatus(failure),
    body: { error: createError(failure) },
  }),
}

/**
 * Converts an input to a state, the JSON that the questions are about: a single user message with a single text becomes that
 * text. Other inputs stay as they are.
 */
const convertInput = (input: JsonValue): JsonValue => {
  if (typeof input === 'string') return input
  const [message, ...furtherItems] = itemsIn(input)
  const content = memberIn(message, 'content')
  const isUserMessage = stringIn(memberIn(message, 'role')) === 'user'
  if (furtherItems.length > 0 || !isUserMessage || content === undefined) return input
  return findSingleText(content) ?? input
}

/** Finds the text of message content that consists of one text; `undefined` for any other content. */
const findSingleText = (content: JsonValue): JsonValue | undefined => {
  if (typeof content === 'string') return content
  const [part, ...furtherParts] = itemsIn(content)
  const isText = stringIn(memberIn(part, 'type')) === 'input_text'
  return isText && furtherParts.length === 0 ? memberIn(part, 'text') : undefined
}

const repeatedName: Fault = {
  loc: ['name'],
  type: 'value',
  message: 'names of questions must be unique within the request',
}

/** Checks the numbers of questions and options, and that names and values are unique. `decisionsRequest` has checked all else. */
const checkQuestions = (questions: ReadonlyArray<WireQuestion>): ReadonlyArray<Fault> => {
  if (questions.length === 0)
    return [{ loc: ['questions'], type: 'too_short', message: 'needs at least one question' }]
  const names = new Set<string>()
  return questions.flatMap((question, index) => {
    const { name } = question
    const isRepeated = name !== undefined && names.has(name)
    if (name !== undefined) names.add(name)
    const faults = isRepeated ? [repeatedName, ...checkOptions(question)] : checkOptions(question)
    return faults.map((fault) => ({ ...fault, loc: ['questions', index, ...fault.loc] }))
  })
}

/** Checks the options of a question: the values of a choice, or the levels of a score. */
const checkOptions = (question: WireQuestion): ReadonlyArray<Fault> => {
  switch (question.type) {
    case 'predicate':
      return []
    case 'choice': {
      const { choices } = question
      const values = new Set(choices.map(({ value }) => createChoiceKey(value)))
      const repeatedValue: Fault = {
        loc: ['choices'],
        type: 'value',
        message: 'values must be unique',
      }
      const faults = checkCount('choices', choices.length, maxLabels)
      return values.size === choices.length ? faults : [...faults, repeatedValue]
    }
    case 'score':
      return checkCount('levels', question.levels.length, maxLevels)
  }
}

const checkCount = (name: string, count: number, max: number): ReadonlyArray<Fault> => {
  if (count >= 2 && count <= max) return []
  const message = `needs between 2 and ${max}, got ${count}`
  return [{ loc: [name], type: count < 2 ? 'too_short' : 'too_long', message }]
}

/** Creates a key that is equal only for equal values of a choice: `true` has the key `true`, and the text `true` has `"true`. */
const createChoiceKey = (value: JsonValue): string =>
  typeof value === 'string' ? `"${value}` : encodeText(value)

/**
 * Pairs questions with their form in the `questions` dialect. Questions with no name, or an empty one, get an id. The boolean values
 * of choices get labels that differ from all texts.
 */
const pairQuestions = (questions: ReadonlyArray<WireQuestion>): ReadonlyArray<TwoFormQuestion> => {
  const usedNames = new Set(questions.map(({ name = '' }) => name))
  return questions.map((wire, index) => ({
    ...convertQuestion(wire),
    wire,
    id: wire.name || createUniqueText(`question ${index + 1}`, usedNames),
  }))
}

/** Appends `'` to a text until no other text equals it, and adds the result to `usedTexts`. */
const createUniqueText = (text: string, usedTexts: Set<string>): string => {
  let unique = text
  while (usedTexts.has(unique)) unique += "'"
  usedTexts.add(unique)
  return unique
}

const convertQuestion = (
  wire: WireQuestion,
): { readonly question: RequestQuestion; readonly labels: ReadonlyArray<string> } => {
  const instructions = findSingleText(wire.instructions) ?? wire.instructions
  switch (wire.type) {
    case 'predicate':
      return { question: { type: 'noul', instructions }, labels: [] }
    case 'choice': {
      const labels = createLabels(wire.choices.map(({ value }) => value))
      const criteria = wire.choices.map(
        ({ description }, index) => [labels[index] as string, description ?? null] as const,
      )
      return { question: { type: 'choice', instructions, criteria }, labels }
    }
    case 'score': {
      const criteria = wire.levels.map(({ label, description }) =>
        description === undefined ? label : `${label}: ${description}`,
      )
      return { question: { type: 'score', instructions, criteria }, labels: [] }
    }
  }
}

/** Creates the labels of a choice: a text is its own label, and the label of a boolean is `true` or `false`, made unique. */
const createLabels = (values: ReadonlyArray<JsonValue>): ReadonlyArray<string> => {
  // `flatMap` leaves out the booleans, because an empty list adds nothing.
  const usedTexts = new Set(values.flatMap((value) => stringIn(value) ?? []))
  return values.map((value) => stringIn(value) ?? createUniqueText(encodeText(value), usedTexts))
}

/** Chooses the status of a failure: 400 for an invalid request and 404 for an unknown model. */
const chooseStatus = ({ status, isUnknownModel }: ServedFailure): number => {
  if (isUnknownModel) return 404
  return status === 422 ? 400 : status
}

/** The codes of this dialect, by error type of the `questions` dialect. All other types are codes themselves. */
const codesByErrorType: Readonly<Record<string, string>> = {
  authentication_error: 'invalid_api_key',
  rate_limit_error: 'rate_limit_exceeded',
}

/** Creates the `error` object of a response. It describes only the first fault, because the dialect has no list of faults. */
const createError = ({ status, type, message, faults, isUnknownModel }: ServedFailure) => {
  const [fault] = faults ?? []
  if (fault !== undefined)
    return { ...createFaultError(fault), type: 'invalid_request_error' } as const
  return {
    message,
    type: chooseErrorType(status),
    param: null,
    code: chooseErrorCode(type, isUnknownModel),
  }
}

/** Chooses the code of an error; `null` if its status says all, as OpenAI's API does. */
const chooseErrorCode = (type: string, isUnknownModel: boolean | undefined): string | null => {
  if (isUnknownModel) return 'model_not_found'
  return type === 'api_usage_error' ? null : (codesByErrorType[type] ?? type)
}

const chooseErrorType = (status: number): string => {
  if (status >= 500) return 'server_error'
  // OpenAI's API names the limit that was exceeded: that of requests, or that of tokens.
  return status === 429 ? 'requests' : 'invalid_request_error'
}

/** The codes of OpenAI's API, by type of the fault. All other faults have the code `invalid_value`. */
const codesByFaultType: Partial<Readonly<Record<DetailEntry['type'], string>>> = {
  missing: 'missing_required_parameter',
  unknown_field: 'unknown_parameter',
  string_type: 'invalid_type',
  object_type: 'invalid_type',
  array_type: 'invalid_type',
  too_short: 'array_below_min_length',
  too_long: 'array_above_max_length',
}

/** Creates the members of an `error` object for a fault. */
const createFaultError = ({ loc, msg, type }: DetailEntry) => {
  // Every path begins with `body`, which OpenAI's API leaves out.
  const param = formatLoc(loc.slice(1)) || null
  return {
    message: formatFaultMessage(type, param, msg),
    param,
    code: codesByFaultType[type] ?? 'invalid_value',
  }
}

/** Formats a message like those of OpenAI's API: `Missing required parameter: 'input'.` */
const formatFaultMessage = (
  type: DetailEntry['type'],
  param: string | null,
  reason: string,
): string => {
  switch (type) {
    case 'missing':
      return `Missing required parameter: '${param}'.`
    case 'unknown_field':
      return `Unknown parameter: '${param}'.`
    default:
      return `Invalid ${param === null ? 'body' : `'${param}'`}: ${reason}.`
  }
}
