import * as E from 'fp-ts/Either'
import { identity, pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { completeModels } from '../../client/dialects/model-list'
import { type Draft, encode, toJson } from '../../codec/json/draft'
import type { Question } from '../../codec/question'
import {
  type AnsweringEngine,
  type EngineAnswer,
  type EngineContext,
  type EngineRequest,
  isAlias,
  modelList,
  type Passing,
} from '../contract/engine'
import {
  clip,
  engineFailed,
  type Problem,
  unknownModel,
  unsupportedType,
} from '../contract/problem'
import { type CheckedAsk, readAsk } from '../contract/read-ask'
import type { CallEngine } from '../limits/call-engine'
import type { Metrics } from '../observe/metrics'
import { type Call, jsonReply, type Operations, problemReply } from './call'
import { answerTo } from './derive-answer'

/**
 * The API's operations for an engine that answers questions: asks it, and records facts about the request and
 * the response in log, span and metrics. D39
 */
export const createAnsweringOperations = (
  engine: AnsweringEngine,
  callEngine: CallEngine,
  metrics: Metrics,
): Operations => {
  const models = encode(
    completeModels(toJson({ models: modelList(engine.model).map((entry) => ({ ...entry })) })),
  )
  return {
    ask: async (call, body) => {
      const note = (facts: AskFacts): void => noteFacts(call, metrics, facts)
      const asked = { dialect: call.dialect, body }
      const answered = await callEngine(call, (context) => answerAsk(engine, asked, context, note))
      if (E.isLeft(answered)) return problemReply(answered.left, call)
      noteAnswer(call, metrics, engine.model.name, answered.right)
      return jsonReply(answered.right.body)
    },
    models: async () => jsonReply(models),
  }
}

const noteFacts = (call: Call, metrics: Metrics, { model, types }: AskFacts): void => {
  const count = Object.values(types).reduce((sum, one) => sum + one, 0)
  call.notes.questions = count
  call.span.set({ 'gen_ai.request.model': model, 'svc.questions.count': count })
  for (const [type, many] of Object.entries(types)) if (many > 0) metrics.countQuestions(type, many)
}

const noteAnswer = (call: Call, metrics: Metrics, model: string, { usage }: Responded): void => {
  call.notes.model = model
  call.span.set({
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': usage.input_tokens ?? undefined,
    'gen_ai.usage.output_tokens': usage.output_tokens ?? undefined,
  })
  metrics.countTokens(usage.input_tokens, usage.output_tokens)
}

/** What logs, spans and metrics may record about a request: never state, questions or answers. */
interface AskFacts {
  /** The model asked for, cut to a short text; `undefined` where the request names none. */
  readonly model: string | undefined
  /** How many questions of each type there are. */
  readonly types: Readonly<Record<Question['type'], number>>
}

/** A response document, with the token counts that the engine reported. */
interface Responded extends Pick<EngineAnswer, 'usage'> {
  readonly body: Uint8Array
}

/**
 * Turns a request document into a response document: reads and checks it, asks the engine and writes the
 * response. `note` is told about a document that could be read. D37, D39
 */
export const answerAsk = (
  engine: AnsweringEngine,
  { dialect, body }: Pick<Passing, 'dialect' | 'body'>,
  context: EngineContext,
  note: (facts: AskFacts) => void,
): TE.TaskEither<Problem, Responded> =>
  pipe(
    readAsk(dialect, body, context),
    TE.chainFirstIOK((ask) => () => note(factsOf(ask))),
    TE.bindTo('ask'),
    TE.bind('request', ({ ask }) => TE.fromEither(requestTo(engine, ask))),
    TE.chain(({ ask: { writeResponse }, request }) =>
      pipe(
        engine.answer(request, context),
        TE.chain((answer) =>
          context.compute(() => responseTo(request, writeResponse, engine.model.name, answer)),
        ),
        TE.chainEitherK(identity),
      ),
    ),
  )

type Questions = CheckedAsk['questions']
type Supported = EngineRequest['questions']

const factsOf = ({ model, questions }: CheckedAsk): AskFacts => {
  const types = { noul: 0, choice: 0, score: 0, other: 0 }
  for (const [, { type }] of questions) types[type] += 1
  return { model: model === undefined ? undefined : clip(model), types }
}

/** The request as the engine gets it. Fails with 400 for a model or a question type that the engine does not have. */
const requestTo = (
  engine: AnsweringEngine,
  { model, state, questions }: CheckedAsk,
): E.Either<Problem, EngineRequest> => {
  if (model !== undefined && model !== engine.model.name && !isAlias(model))
    return E.left(unknownModel(model))
  return pipe(
    supportedQuestions(questions),
    E.map((supported) => ({ state, questions: supported })),
  )
}

const supportedQuestions = (questions: Questions): E.Either<Problem, Supported> => {
  const found: Array<Supported[number]> = []
  for (const [id, question] of questions) {
    if (question.type === 'other') {
      const type = clip(question.name)
      return E.left(unsupportedType(`questions.${clip(id)}: unsupported question type "${type}"`))
    }
    found.push([id, question])
  }
  return E.right(found)
}

/**
 * Writes the response document. Fails where the engine's answers do not fit the questions. spec: Response
 * document
 */
const responseTo = (
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
