import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Fault, type FaultType, faultsOf, formatLoc } from '../../codec/fault'
import { createAssets } from '../../codec/images'
import { encodeText } from '../../codec/json/draft'
import { itemsIn, type JsonValue, memberIn, stringIn } from '../../codec/json/json'
import type { RequestQuestion } from '../../codec/question'
import { maxLabels, maxLevels } from '../../codec/question-limits'
import { type DetailEntry, listFaults } from '../../codec/request-faults'
import { RequestDocument, type WireQuestion } from './decisions-documents'
import { decisionsRoute } from './dialect'
import { extractImages } from './input-images'
import type { ServedDialect, ServedFailure } from './served'
import { encodeDecisionsAnswers, type NamedQuestion } from './served-decisions-answers'

/** OpenAI's decisions, as a service speaks them. */
export const servedDecisions: ServedDialect = {
  ...decisionsRoute,
  sameDocuments: ['decisions'],
  stateMember: undefined,
  maxQuestions: 400,
  matches: (document) =>
    memberIn(document, 'state') === undefined && memberIn(document, 'input') !== undefined,
  decodeRequest: (body) =>
    pipe(
      RequestDocument.decode(body),
      E.mapLeft(faultsOf),
      E.chain((document) => {
        const { input, images, faults: wrong } = extractImages(document.input)
        const faults = [...wrong, ...checkQuestions(document.questions)]
        return faults.length === 0 ? E.right({ ...document, input, images }) : E.left(faults)
      }),
      E.bimap(listFaults, ({ model, input, images, questions }) => {
        const named = nameQuestions(questions)
        return {
          request: {
            model,
            state: readInput(input),
            questions: named.map(({ id, question }) => [id, question] as const),
            extra: createAssets(images),
          },
          encodeResponse: encodeDecisionsAnswers(named),
        }
      }),
    ),
  findUnsupported: () => undefined,
  encodeFailure: (explanation) => ({
    status: chooseStatus(explanation),
    body: { error: describeError(explanation) },
  }),
}

/** The state of an input: the text of one user message that is one text, else the input as it is written. */
const readInput = (input: JsonValue): JsonValue => {
  if (typeof input === 'string') return input
  const [only, ...others] = itemsIn(input)
  const content = memberIn(only, 'content')
  const isOne = others.length === 0 && stringIn(memberIn(only, 'role')) === 'user'
  return (isOne && content !== undefined ? readText(content) : undefined) ?? input
}

/** The text of a content that is one text; `undefined` for any other. */
const readText = (content: JsonValue): JsonValue | undefined => {
  if (typeof content === 'string') return content
  const [only, ...others] = itemsIn(content)
  const isText = others.length === 0 && stringIn(memberIn(only, 'type')) === 'input_text'
  return isText ? memberIn(only, 'text') : undefined
}

/** The faults that the codec does not find: numbers of questions and options, and what must be unique. */
const checkQuestions = (questions: ReadonlyArray<WireQuestion>): ReadonlyArray<Fault> => {
  if (questions.length === 0)
    return [{ loc: ['questions'], type: 'too_short', message: 'needs at least one question' }]
  const names = new Set<string>()
  return questions.flatMap((question, index) => {
    const { name } = question
    const isRepeated = name !== undefined && names.has(name)
    if (name !== undefined) names.add(name)
    return [...(isRepeated ? [repeatedName] : []), ...checkOptions(question)].map((fault) => ({
      ...fault,
      loc: ['questions', index, ...fault.loc],
    }))
  })
}

const repeatedName: Fault = {
  loc: ['name'],
  type: 'value',
  message: 'names of questions must be unique within the request',
}

const checkOptions = (question: WireQuestion): ReadonlyArray<Fault> => {
  switch (question.type) {
    case 'predicate':
      return []
    case 'choice': {
      const { choices } = question
      const values = new Set(choices.map(({ value }) => keyOf(value)))
      const repeated: Fault = { loc: ['choices'], type: 'value', message: 'values must be unique' }
      const faults = checkCount('choices', choices.length, maxLabels)
      return values.size === choices.length ? faults : [...faults, repeated]
    }
    case 'score':
      return checkCount('levels', question.levels.length, maxLevels)
  }
}

const checkCount = (name: string, count: number, most: number): ReadonlyArray<Fault> => {
  if (count >= 2 && count <= most) return []
  const message = `needs between 2 and ${most}, got ${count}`
  return [{ loc: [name], type: count < 2 ? 'too_short' : 'too_long', message }]
}

/** A key for a choice's value, by which `true` and `"true"` differ. */
const keyOf = (value: JsonValue): string =>
  typeof value === 'string' ? `"${value}` : encodeText(value)

/**
 * Turns questions into svc's own. Each gets an id of its own, since names may be missing, and each choice's value a
 * label of its own, since a boolean and a text may be spelled alike.
 */
const nameQuestions = (questions: ReadonlyArray<WireQuestion>): ReadonlyArray<NamedQuestion> => {
  const taken = new Set(questions.map(({ name = '' }) => name))
  return questions.map((wire, index) => ({
    ...readQuestion(wire),
    wire,
    id: wire.name || makeUnique(`question ${index + 1}`, taken),
  }))
}

const makeUnique = (text: string, taken: Set<string>): string => {
  let unique = text
  while (taken.has(unique)) unique += "'"
  taken.add(unique)
  return unique
}

const readQuestion = (
  wire: WireQuestion,
): { readonly question: RequestQuestion; readonly labels: ReadonlyArray<string> } => {
  const instructions = readText(wire.instructions) ?? wire.instructions
  switch (wire.type) {
    case 'predicate':
      return { question: { type: 'noul', instructions }, labels: [] }
    case 'choice': {
      const labels = labelsOf(wire.choices.map(({ value }) => value))
      const criteria = wire.choices.map(
        ({ description }, i) => [labels[i] as string, description ?? null] as const,
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

/** The labels of a choice's values: a text as it is, a boolean by its name unless a text has that name. */
const labelsOf = (values: ReadonlyArray<JsonValue>): ReadonlyArray<string> => {
  const taken = new Set(values.flatMap((value) => stringIn(value) ?? []))
  return values.map((value) => stringIn(value) ?? makeUnique(encodeText(value), taken))
}

/** The status of a failure: a request with faults is 400 here, and an unknown model 404. */
const chooseStatus = ({ status, isUnknownModel }: ServedFailure): number => {
  if (isUnknownModel) return 404
  return status === 422 ? 400 : status
}

/** The words of this dialect for failures that it has words for. */
const codes: Readonly<Record<string, string>> = {
  authentication_error: 'invalid_api_key',
  rate_limit_error: 'rate_limit_exceeded',
}

const describeError = ({ status, type, message, faults, isUnknownModel }: ServedFailure) => {
  const [fault] = faults ?? []
  if (fault !== undefined)
    return { ...describeFault(fault), type: 'invalid_request_error' } as const
  const code = isUnknownModel
    ? 'model_not_found'
    : type === 'api_usage_error'
      ? null
      : (codes[type] ?? type)
  return { message, type: chooseType(status), param: null, code }
}

const chooseType = (status: number): string => {
  if (status >= 500) return 'server_error'
  return status === 429 ? 'requests' : 'invalid_request_error'
}

/** Words a fault as OpenAI does if its words are known. */
const describeFault = ({ loc, msg, type }: DetailEntry) => {
  const param = formatLoc(loc.slice(1)) || null
  switch (type) {
    case 'missing':
      return { message: `Missing required parameter: '${param}'.`, param, code: faultCodes.missing }
    case 'unknown_field':
      return { message: `Unknown parameter: '${param}'.`, param, code: 'unknown_parameter' }
    default: {
      const place = param === null ? 'Invalid body' : `Invalid '${param}'`
      return { message: `${place}: ${msg}.`, param, code: faultCodes[type] ?? 'invalid_value' }
    }
  }
}

const faultCodes: Partial<Readonly<Record<FaultType | 'more', string>>> = {
  missing: 'missing_required_parameter',
  string_type: 'invalid_type',
  object_type: 'invalid_type',
  array_type: 'invalid_type',
  too_short: 'array_below_min_length',
  too_long: 'array_above_max_length',
}
