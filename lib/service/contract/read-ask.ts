import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { dropEmptyAssets } from '../../codec/images'
import { encode } from '../../codec/json/draft'
import { countValues, itemsIn, type JsonValue, memberIn } from '../../codec/json/json'
import { maxDocumentBytes, parseJson } from '../../codec/json/parse'
import type { RequestQuestion } from '../../codec/question'
import type { DecodedRequest, ServedDialect } from '../dialects/served-dialect'
import { findOtherRoute } from '../dialects/served-dialects'
import type { CheckedQuestion, EngineContext } from './engine'
import { documentTooLarge, invalidDocument, invalidJson, type Problem, wrongRoute } from './problem'

/** A request document that passed all checks. */
export interface CheckedAsk {
  /** The requested model; `undefined` if it is missing or empty. */
  readonly model: string | undefined
  readonly state: JsonValue
  readonly questions: ReadonlyArray<readonly [id: string, question: CheckedQuestion]>
  /** The other members of the document. */
  readonly extra: DecodedRequest['request']['extra']
  readonly encodeResponse: DecodedRequest['encodeResponse']
}

/**
 * The maximum number of JSON values in a document outside its state. Decoded values take up to 50 times their size in memory:
 * 2 MiB of questions take 100 MiB.
 */
const maxValues = 50_000

/**
 * The maximum number of objects and arrays in a document with its state, and in the answer of another service. 2 MiB of `{}` would take
 * 150 MB of memory.
 */
export const maxContainers = 100_000

/** A context in which computations wait for their turn on the event loop. */
type ComputeContext = Pick<EngineContext, 'compute'>

/**
 * Decodes and checks a request document. Fails like `readDocument`. Fails with 422 if the document is invalid, or if its answer would be
 * too large. Each step waits for its turn on the event loop, because it reads the whole document.
 */
export const readAsk = (
  dialect: ServedDialect,
  body: Uint8Array,
  context: ComputeContext,
): TE.TaskEither<Problem, CheckedAsk> =>
  // A pipe instead of variables, so that the garbage collector can free each intermediate document.
  pipe(
    readDocument(dialect, body, context),
    TE.chain((document) => inTurn(context, () => decodeAsk(dialect, document))),
    TE.chain((ask) => inTurn(context, () => checkAnswerSize(ask))),
  )

/**
 * Parses a request document and checks its size. Fails with 400 if it is not JSON or belongs to another route, and with 422 if it has too
 * many questions or values.
 */
export const readDocument = (
  dialect: ServedDialect,
  body: Uint8Array,
  context: ComputeContext,
): TE.TaskEither<Problem, JsonValue> =>
  pipe(
    inTurn(context, () => parseBody(body)),
    TE.chain((document) => inTurn(context, () => checkDocument(dialect, document))),
  )

const inTurn = <A>(
  { compute }: ComputeContext,
  work: () => E.Either<Problem, A>,
): TE.TaskEither<Problem, A> =>
  pipe(
    compute(work),
    TE.chainEitherK((result) => result),
  )

/** Parses a request document. Fails with 400 if it is not JSON, or if it has too many objects and arrays. */
export const parseBody = (body: Uint8Array): E.Either<Problem, JsonValue> =>
  pipe(
    parseJson(body, maxContainers),
    E.mapLeft(({ message }) => invalidJson(`invalid request JSON: ${message}`)),
  )

/** Checks the numbers of a document's values and questions, and that it belongs to this route. Returns the document unchanged. */
const checkDocument = (
  dialect: ServedDialect,
  document: JsonValue,
): E.Either<Problem, JsonValue> => {
  const { stateMember, maxQuestions } = dialect
  if (hasTooManyValues(document, stateMember)) {
    const exception = stateMember === undefined ? '' : ` beside its ${stateMember}`
    return E.left(documentTooLarge(['body'], `a request may hold ${maxValues} values${exception}`))
  }
  const otherRoute = findOtherRoute(dialect, document)
  if (otherRoute !== undefined) return E.left(wrongRoute(otherRoute))
  if (countQuestions(document) > maxQuestions)
    return E.left(
      documentTooLarge(['body', 'questions'], `a request may hold ${maxQuestions} questions`),
    )
  return E.right(document)
}

const decodeAsk = (dialect: ServedDialect, document: JsonValue): E.Either<Problem, CheckedAsk> => {
  const decodeResult = dialect.decodeRequest(document)
  if (E.isLeft(decodeResult)) return E.left(invalidDocument(decodeResult.left))
  const { request, encodeResponse } = decodeResult.right
  const questions = request.questions.map(([id, question]) => [id, withCriteria(question)] as const)
  const extra = dropEmptyAssets(request.extra)
  return E.right({
    ...request,
    model: request.model || undefined,
    questions,
    extra,
    encodeResponse,
  })
}

const checkAnswerSize = (ask: CheckedAsk): E.Either<Problem, CheckedAsk> => {
  const bytes = computeMaxAnswerBytes(ask.questions)
  const message = `the answer could have ${bytes} bytes; ${maxDocumentBytes} are the most`
  return bytes > maxDocumentBytes
    ? E.left(documentTooLarge(['body', 'questions'], message))
    : E.right(ask)
}

/** Returns true if a document has too many values outside its state. */
const hasTooManyValues = (document: JsonValue, stateMember: string | undefined): boolean => {
  const state = stateMember === undefined ? undefined : memberIn(document, stateMember)
  const valuesInState = state === undefined ? 0 : countValues(state)
  return countValues(document) - valuesInState > maxValues
}

const countQuestions = (document: JsonValue): number => {
  const questions = memberIn(document, 'questions')
  return questions instanceof Map ? questions.size : itemsIn(questions).length
}

/** Narrows the type of a question. Decoding has refused a choice or a score without criteria, so the empty lists are never used. */
const withCriteria = (question: RequestQuestion): CheckedQuestion => {
  switch (question.type) {
    case 'choice':
      return { ...question, criteria: question.criteria ?? [] }
    case 'score':
      return { ...question, criteria: question.criteria ?? [] }
    case 'noul':
    case 'other':
      return question
  }
}

/**
 * Computes an upper bound for the size of the answers as JSON, in bytes. An answer has its id, each label and each level once, and the
 * chosen label a second time.
 */
export const computeMaxAnswerBytes = (
  questions: ReadonlyArray<readonly [id: string, question: CheckedQuestion]>,
): number => {
  let bytes = 0
  for (const [id, question] of questions) bytes += countJsonBytes(id) + computeMaxBytes(question)
  return bytes
}

/**
 * The maximum bytes of an answer without its id, labels and levels, and the bytes beside each label and level. A `noul` is a yes/no
 * question.
 */
const fixedBytes = {
  noul: ':{"type":"noul","noul":0.1234},'.length,
  choice: ':{"type":"choice","choice":,"confidence":0.1234,"probabilities":{}},'.length,
  score: ':{"type":"score","score":1.1234,"confidence":0.1234,"legend":{},"probabilities":{}},'
    .length,
  label: ':0.1234,'.length,
  level: '"0":,"0":0.1234,'.length,
}

const computeMaxBytes = (question: CheckedQuestion): number => {
  switch (question.type) {
    case 'noul':
      return fixedBytes.noul
    case 'choice': {
      const labelBytes = question.criteria.map(([label]) => countJsonBytes(label))
      let bytes = fixedBytes.choice + Math.max(...labelBytes)
      for (const count of labelBytes) bytes += count + fixedBytes.label
      return bytes
    }
    case 'score': {
      let bytes = fixedBytes.score
      for (const level of question.criteria) bytes += encode(level).length + fixedBytes.level
      return bytes
    }
    case 'other':
      // No engine answers such a question.
      return 0
  }
}

const countJsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))
