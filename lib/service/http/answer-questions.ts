import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Draft, encode, toJson } from '../../codec/json/draft'
import type { RequestQuestion } from '../../codec/question'
import type { AnsweredAsk } from '../answer-log/answered-request'
import {
  type AnsweringEngine,
  type EngineAnswer,
  type EngineContext,
  type EngineRequest,
  isAlias,
  listModelEntries,
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
import { completeModels } from '../dialects/complete-models'
import type { ServedDialect } from '../dialects/served-dialect'
import { servedDialects } from '../dialects/served-dialects'
import type { Metrics } from '../observe/metrics'
import { deriveAnswer } from './derive-answer'
import { jsonReply, refuse, respond } from './respond'
import type { RequestStep, ServedReply, ServedRequest, Service } from './service'

/** Answers a request for questions, if the engine answers questions: checks the document, asks the engine, and responds. */
export const answerQuestions =
  ({ callEngine, metrics }: Service, engine: AnsweringEngine): RequestStep =>
  async (c) => {
    const request = c.get('request')
    const recordFacts = (facts: AskFacts) => recordAsk(request, metrics, facts)
    const result = await callEngine(request, (context) =>
      answerAsk(engine, request, context, recordFacts),
    )
    if (E.isLeft(result)) return refuse(c, result.left)
    request.answered = result.right.answered
    recordUsage(request, metrics, engine.model.name, result.right.usage)
    return respond(c, jsonReply(result.right.body))
  }

/** Answers a request for the model list, if the engine answers questions. */
export const listOwnModels = ({ model, listModels }: AnsweringEngine): RequestStep => {
  if (listModels === undefined) {
    const reply = createModelsReply(listModelEntries(model))
    return async (c) => respond(c, reply)
  }
  return async (c) => {
    const { abortController, span } = c.get('request')
    const models = await listModels({ signal: abortController.signal, span })()
    return E.isLeft(models) ? refuse(c, models.left) : respond(c, createModelsReply(models.right))
  }
}

const createModelsReply = (entries: ReadonlyArray<object>): ServedReply => {
  // TypeScript accepts a copy as a draft of JSON, but not the interface of an entry.
  const models = entries.map((entry) => ({ ...entry }))
  return jsonReply(encode(completeModels(toJson({ models }))))
}

/** The facts about a request that logs, spans and metrics record. They contain no state, question or answer. */
interface AskFacts {
  /** The requested model, abbreviated; `undefined` if the request names none. */
  readonly model: string | undefined
  /** The number of questions of each type. A `noul` is a yes/no question. */
  readonly questionCounts: Readonly<Record<RequestQuestion['type'], number>>
}

const recordAsk = (
  { logFields, span }: ServedRequest,
  metrics: Metrics,
  { model, questionCounts }: AskFacts,
): void => {
  let total = 0
  for (const [type, count] of Object.entries(questionCounts)) {
    total += count
    if (count > 0) metrics.countQuestions(type, count)
  }
  logFields.questions = total
  span.set({ 'gen_ai.request.model': model, 'svc.questions.count': total })
}

const recordUsage = (
  { logFields, span, holder }: ServedRequest,
  metrics: Metrics,
  model: string,
  usage: EngineAnswer['usage'],
): void => {
  logFields.model = model
  span.set({
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': usage.input_tokens ?? undefined,
    'gen_ai.usage.output_tokens': usage.output_tokens ?? undefined,
  })
  metrics.countTokens(usage, holder?.name)
}

/** A request document and its dialect. */
interface AskDocument {
  readonly dialect: ServedDialect
  readonly body: Uint8Array
}

/** A response document, with the token counts that the engine reported, and the decoded request with its answers. */
interface AnswerDocument extends Pick<EngineAnswer, 'usage'> {
  readonly answered: AnsweredAsk
  readonly body: Uint8Array
}

/**
 * Answers a request document with a response document. Calls `recordFacts` after it has decoded the request, before it asks the
 * engine.
 */
export const answerAsk =
  (
    engine: AnsweringEngine,
    { dialect, body }: AskDocument,
    context: EngineContext,
    recordFacts: (facts: AskFacts) => void,
  ): TE.TaskEither<Problem, AnswerDocument> =>
  async () => {
    const ask = await readAsk(dialect, body, context)()
    if (E.isLeft(ask)) return ask
    if (hasImages(ask.right)) return E.left(imagesUnsupported)
    recordFacts(collectFacts(ask.right))
    const engineRequest = createEngineRequest(engine, ask.right)
    if (E.isLeft(engineRequest)) return engineRequest
    const answer = await engine.answer(engineRequest.right, context)()
    if (E.isLeft(answer)) return answer
    const asked = { ask: ask.right, dialect, model: engine.model.name }
    // A large response takes a while to format, so this waits for its turn on the event loop.
    const response = await context.compute(() =>
      formatResponse(engineRequest.right, asked, answer.right),
    )()
    return E.flatten(response)
  }

/** Returns true if a request has images. They are in its member `assets`. */
const hasImages = ({ extra }: CheckedAsk): boolean => extra.has('assets')

const collectFacts = ({ model, questions }: CheckedAsk): AskFacts => {
  const questionCounts = { noul: 0, choice: 0, score: 0, other: 0 }
  for (const [, { type }] of questions) questionCounts[type] += 1
  return { model: model === undefined ? undefined : abbreviate(model), questionCounts }
}

/** Creates the engine's request. Fails with 400 for a model or a question type that the engine does not have. */
const createEngineRequest = (
  engine: AnsweringEngine,
  { model, state, questions }: CheckedAsk,
): E.Either<Problem, EngineRequest> => {
  if (model !== undefined && model !== engine.model.name && !isAlias(model))
    return E.left(unknownModel(model))
  const supported: Array<EngineRequest['questions'][number]> = []
  for (const [id, question] of questions) {
    if (question.type === 'other') {
      const type = abbreviate(question.name)
      return E.left(
        unsupportedType(`questions.${abbreviate(id)}: unsupported question type "${type}"`),
      )
    }
    supported.push([id, question])
  }
  return E.right({ state, questions: supported })
}

/** A decoded request, its dialect, and the model that answers it. */
interface AskedModel {
  readonly ask: CheckedAsk
  readonly dialect: ServedDialect
  readonly model: string
}

const unusableAnswer: Problem = engineFailed('The engine gave no usable answer.')

/** Formats the response document. Fails if the answers do not fit the questions, or if the caller's dialect cannot express them. */
const formatResponse = (
  { state, questions }: EngineRequest,
  { ask, dialect, model }: AskedModel,
  { answers, usage }: EngineAnswer,
): E.Either<Problem, AnswerDocument> => {
  if (answers.length !== questions.length) return E.left(unusableAnswer)
  const entries: Array<readonly [id: string, answer: Draft]> = []
  for (const [i, [id, question]] of questions.entries()) {
    const distribution = answers[i]
    const answer = distribution && deriveAnswer(question, distribution)
    if (answer === undefined) return E.left(unusableAnswer)
    entries.push([id, answer])
  }
  const document = ask.encodeResponse({ model, answers: entries, usage })
  if (E.isLeft(document)) return E.left(engineFailed(`The engine gave ${document.left}.`))
  const body = encode(document.right)
  const answered = {
    state,
    questions,
    extra: ask.extra,
    model,
    answers: new Map<string, Draft>(entries),
    usage,
    // Only the dialect `questions` responds with the members of a record.
    responseJson: dialect.askPath === servedDialects[0].askPath ? body : undefined,
  }
  return E.right({ body, usage, answered })
}
