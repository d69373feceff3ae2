import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { findRightPath } from '../../client/dialects/serve'
import type { DecodedRequest, ServedDialect } from '../../client/dialects/served'
import { encode } from '../../codec/json/draft'
import { countValues, itemsIn, type JsonValue, memberIn } from '../../codec/json/json'
import { maxDocumentBytes, parseJson } from '../../codec/json/parse'
import type { RequestQuestion } from '../../codec/question'
import type { CheckedQuestion, EngineContext } from './engine'
import { faulty, invalidJson, type Problem, tooMuch, wrongRoute } from './problem'

/** A request document that passed all checks. */
export interface CheckedAsk {
  /** The model that the document names; `undefined` if it is missing or empty, which means the latest. */
  readonly model: string | undefined
  readonly state: JsonValue
  readonly questions: ReadonlyArray<readonly [id: string, question: CheckedQuestion]>
  /** All other members of the document. */
  readonly extra: DecodedRequest['request']['extra']
  readonly writeResponse: DecodedRequest['encodeResponse']
}

/**
 * The maximum number of JSON values in a document outside its state. Decoded, they take up to fifty times their size
 * in memory, so a large document made only of questions would use more memory than one caller may.
 */
const maxValues = 50_000

/**
 * A document may have this many objects and arrays, in its state too. 2 MiB of `{}` would take 150 MB, and V8 frees
 * those of earlier callers late.
 */
const maxContainers = 100_000

/**
 * Reads and checks a request document. Fails with 400 if it is not JSON or belongs to another route, and with 422 if
 * it is invalid or too large to answer. Each step takes a turn, because each reads the whole document.
 */
export const readAsk = (
  dialect: ServedDialect,
  body: Uint8Array,
  { compute }: Pick<EngineContext, 'compute'>,
): TE.TaskEither<Problem, CheckedAsk> => {
  const step =
    <A, B>(work: (given: A) => E.Either<Problem, B>) =>
    (given: A): TE.TaskEither<Problem, B> =>
      TE.chainEitherK((done: E.Either<Problem, B>) => done)(compute(() => work(given)))
  const read = (document: JsonValue) =>
    E.bimap(faulty, assembleAsk)(dialect.decodeRequest(document))
  // In a pipe each step frees the value of the step before it: a decoded document is large.
  return pipe(
    step(parseBody)(body),
    TE.chain(step(checkSize(dialect))),
    TE.chain(step(read)),
    TE.chain(step(checkAnswerSize)),
  )
}

const parseBody = (body: Uint8Array): E.Either<Problem, JsonValue> =>
  pipe(
    parseJson(body, maxContainers),
    E.mapLeft(({ message }) => invalidJson(`invalid request JSON: ${message}`)),
  )

/** Refuses documents that would take long to decode, and those of another route. */
const checkSize =
  (dialect: ServedDialect) =>
  (document: JsonValue): E.Either<Problem, JsonValue> => {
    const { stateMember, maxQuestions: mostQuestions } = dialect
    if (hasTooManyValues(document, stateMember)) {
      const others = stateMember === undefined ? '' : ` beside its ${stateMember}`
      return E.left(tooMuch(['body'], `a request may hold ${maxValues} values${others}`))
    }
    const path = findRightPath(dialect, document)
    if (path !== undefined) return E.left(wrongRoute(path))
    if (countQuestions(document) > mostQuestions)
      return E.left(tooMuch(['body', 'questions'], `a request may hold ${mostQuestions} questions`))
    return E.right(document)
  }

const assembleAsk = ({ request, encodeResponse: writeResponse }: DecodedRequest): CheckedAsk => ({
  ...request,
  model: request.model || undefined,
  questions: request.questions.map(([id, question]) => [id, withCriteria(question)] as const),
  writeResponse,
})

const checkAnswerSize = (ask: CheckedAsk): E.Either<Problem, CheckedAsk> => {
  const bytes = answerBytes(ask.questions)
  const message = `the answer could have ${bytes} bytes; ${maxDocumentBytes} are the most`
  return bytes > maxDocumentBytes ? E.left(tooMuch(['body', 'questions'], message)) : E.right(ask)
}

/** True if a document has too many values outside its state. */
const hasTooManyValues = (document: JsonValue, stateMember: string | undefined): boolean => {
  const state = stateMember === undefined ? undefined : memberIn(document, stateMember)
  const inState = state === undefined ? 0 : countValues(state)
  return countValues(document) - inState > maxValues
}

const countQuestions = (document: JsonValue): number => {
  const questions = memberIn(document, 'questions')
  return questions instanceof Map ? questions.size : itemsIn(questions).length
}

/** Reading the request has refused any choice or score without criteria; the empty lists only satisfy the type. */
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
 * An upper bound, in bytes of JSON, for the answers to these questions. An answer repeats each label twice and
 * each level once, so the answer to a 16 MiB document could be several times as large.
 */
export const answerBytes = (
  questions: ReadonlyArray<readonly [id: string, question: CheckedQuestion]>,
): number => questions.reduce((sum, [id, question]) => sum + textBytes(id) + oneAnswer(question), 0)

/** Bytes of an answer's fixed parts, with the longest number that four decimal places allow. */
const frame = {
  noul: ':{"type":"noul","noul":0.1234},'.length,
  choice: ':{"type":"choice","choice":,"confidence":0.1234,"probabilities":{}},'.length,
  score: ':{"type":"score","score":1.1234,"confidence":0.1234,"legend":{},"probabilities":{}},'
    .length,
  label: ':0.1234,'.length,
  level: '"0":,"0":0.1234,'.length,
}

const oneAnswer = (question: CheckedQuestion): number => {
  switch (question.type) {
    case 'noul':
      return frame.noul
    case 'choice': {
      const labels = question.criteria.map(([label]) => textBytes(label))
      return labels.reduce(
        (sum, bytes) => sum + bytes + frame.label,
        frame.choice + Math.max(...labels),
      )
    }
    case 'score':
      return question.criteria.reduce<number>(
        (sum, level) => sum + encode(level).length + frame.level,
        frame.score,
      )
    case 'other':
      return 0
  }
}

const textBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))
