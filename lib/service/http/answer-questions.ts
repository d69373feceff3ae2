import * as E from 'fp-ts/Either'
import { identity, pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { completeModels } from '../../client/dialects/model-list'
import type { ServedDialect } from '../../client/dialects/served'
import { type Draft, encode, toJson } from '../../codec/json/draft'
import type { RequestQuestion } from '../../codec/question'
import {
  type AnsweringEngine,
  type EngineAnswer,
  type EngineContext,
  type EngineRequest,
  isAlias,
  modelList,
} from '../contract/engine'
import {
  abbreviate,
  engineFailed,
  imagesUnsupported,
  type Problem,
  unknownModel,
  unsupportedType,
} from '../contract/problem'
import { type CheckedAsk, readAsk } from '../contract/read-ask'
import type { CallEngine } from '../limits/call-engine'
import type { Metrics } from '../observe/metrics'
import { jsonReply, type RequestStep, refuse, respond, type ServedCall } from './call'
import { answerTo } from './derive-answer'

/** The services that answering uses, besides the engine. */
interface Answering {
  readonly callEngine: CallEngine
  readonly metrics: Metrics
}

/** The last step of a question for an engine that answers questions: checks the document, asks, and writes the response. */
export const answerQuestions =
  ({ callEngine, metrics }: Answering, engine: AnsweringEngine): RequestStep =>
  async (c) => {
    const call = c.get('call')
    const answered = await callEngine(call, (context) =>
      answerAsk(engine, call, context, (facts) => recordAsk(call, metrics, facts)),
    )
    if (E.isLeft(answered)) return refuse(c, answered.left)
    recordAnswer(call, metrics, engine.model.name, answered.right)
    return respond(c, jsonReply(answered.right.body))
  }

/** The last step of a request for the models of an engine that answers questions. */
export const listOwnModels = ({ model }: AnsweringEngine): RequestStep => {
  const entries = modelList(model).map((entry) => ({ ...entry }))
  const reply = jsonReply(encode(completeModels(toJson({ models: entries }))))
  return async (c) => respond(c, reply)
}

const recordAsk = (call: ServedCall, metrics: Metrics, { model, types }: AskFacts): void => {
  const count = Object.values(types).reduce((sum, one) => sum + one, 0)
  call.notes.questions = count
  call.span.set({ 'gen_ai.request.model': model, 'svc.questions.count': count })
  for (const [type, many] of Object.entries(types)) if (many > 0) metrics.countQuestions(type, many)
}

const recordAnswer = (
  call: ServedCall,
  metrics: Metrics,
  model: string,
  { usage }: Responded,
): void => {
  call.notes.model = model
  call.span.set({
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': usage.input_tokens ?? undefined,
    'gen_ai.usage.output_tokens': usage.output_tokens ?? undefined,
  })
  metrics.countTokens(usage, call.holder?.name)
}

/** The facts about a request that logs, spans and metrics may record: never state, questions or answers. */
interface AskFacts {
  /** The requested model, cut to a short text; `undefined` if the request names none. */
  readonly model: string | undefined
  /** The number of questions of each type. */
  readonly types: Readonly<Record<RequestQuestion['type'], number>>
}

/** A response document, with the token counts that the engine reported. */
interface Responded extends Pick<EngineAnswer, 'usage'> {
  readonly body: Uint8Array
}

/** A request document and the dialect it is written in. */
interface AskDocument {
  readonly dialect: ServedDialect
  readonly body: Uint8Array
}

/**
 * Turns a request document into a response document: reads and checks it, asks the engine and writes the
 * response. Calls `record` once the document has been read.
 */
export const answerAsk =
  (
    engine: AnsweringEngine,
    { dialect, body }: AskDocument,
    context: EngineContext,
    record: (facts: AskFacts) => void,
  ): TE.TaskEither<Problem, Responded> =>
  async () => {
    const ask = await readAsk(dialect, body, context)()
    if (E.isLeft(ask)) return ask
    if (ask.right.extra.has('assets')) return E.left(imagesUnsupported)
    record(factsOf(ask.right))
    const request = createRequest(engine, ask.right)
    if (E.isLeft(request)) return request
    const answer = await engine.answer(request.right, context)()
    if (E.isLeft(answer)) return answer
    const { writeResponse } = ask.right
    return pipe(
      context.compute(() =>
        formatResponse(request.right, writeResponse, engine.model.name, answer.right),
      ),
      TE.chainEitherK(identity),
    )()
  }

type Questions = CheckedAsk['questions']
type Supported = EngineRequest['questions']

const factsOf = ({ model, questions }: CheckedAsk): AskFacts => {
  const types = { noul: 0, choice: 0, score: 0, other: 0 }
  for (const [, { type }] of questions) types[type] += 1
  return { model: model === undefined ? undefined : abbreviate(model), types }
}

/** The request as the engine gets it. Fails with 400 for a model or a question type that the engine does not have. */
const createRequest = (
  engine: AnsweringEngine,
  { model, state, questions }: CheckedAsk,
): E.Either<Problem, EngineRequest> => {
  if (model !== undefined && model !== engine.model.name && !isAlias(model))
    return E.left(unknownModel(model))
  return pipe(
    checkTypes(questions),
    E.map((supported) => ({ state, questions: supported })),
  )
}

const checkTypes = (questions: Questions): E.Either<Problem, Supported> => {
  const found: Array<Supported[number]> = []
  for (const [id, question] of questions) {
    if (question.type === 'other') {
      const type = abbreviate(question.name)
      return E.left(
        unsupportedType(`questions.${abbreviate(id)}: unsupported question type "${type}"`),
      )
    }
    found.push([id, question])
  }
  return E.right(found)
}

/** Writes the response document. Fails if the engine's answers do not fit the questions. */
const formatResponse = (
  { questions }: EngineRequest,
  writeResponse: CheckedAsk['writeResponse'],
  model: string,
  { answers, usage }: EngineAnswer,
): E.Either<Problem, Responded> => {
  if (answers.length !== questions.length) return E.left(brokenAnswer)
  const written: Array<readonly [id: string, answer: Draft]> = []
  for (const [i, [id, question]] of questions.entries()) {
    const given = answers[i]
    const answer = given && answerTo(question, given)
    if (answer === undefined) return E.left(brokenAnswer)
    written.push([id, answer])
  }
  return pipe(
    writeResponse({ model, answers: written, usage }),
    E.bimap(
      (why) => engineFailed(`The engine gave ${why}.`),
      (document) => ({ body: encode(document), usage }),
    ),
  )
}

const brokenAnswer: Problem = engineFailed('The engine gave no usable answer.')
