import * as E from 'fp-ts/Either'
import { Answer } from '../../codec/answer'
import { type Draft, Entries, encode } from '../../json/draft'
import type { CallEngine } from '../engines/call-engine'
import type { AnsweringEngine, EngineAnswer, EngineRequest } from '../engines/engine'
import { modelList, resolveModel } from '../engines/models'
import type { Metrics } from '../observe/metrics'
import { clipped, engineFailed, type Problem, unknownModel, unsupportedType } from '../problem'
import { type Call, jsonReply, type Operations, problemReply } from './call'
import { answerTo } from './derive-answer'
import { type CheckedAsk, readAsk } from './read-ask'

/**
 * The operations in front of an engine that answers questions: requests are checked here and responses
 * written. D39
 */
export const answering = (
  engine: AnsweringEngine,
  callEngine: CallEngine,
  metrics: Metrics,
): Operations => ({
  ask: async (call, body) => {
    const asked = readAsk(body)
    if (E.isLeft(asked)) return problemReply(asked.left, call)
    const { model: requested, request } = asked.right
    noteQuestions(call, metrics, asked.right)
    const model = resolveModel(engine.models, requested)
    if (model === undefined) return problemReply(unknownModel(requested ?? ''), call)
    const refused = firstUnsupported(engine, request)
    if (refused !== undefined) return problemReply(refused, call)
    const answer = await callEngine(call, (context) => engine.answer(request, model, context))
    if (E.isLeft(answer)) return problemReply(answer.left, call)
    const response = responseTo(request, answer.right)
    if (response === undefined) return problemReply(brokenAnswer, call)
    noteAnswer(call, metrics, answer.right)
    return jsonReply(encode(response))
  },
  models: async () => jsonReply(JSON.stringify({ models: modelList(engine.models) })),
})

const brokenAnswer: Problem = engineFailed('The engine gave no usable answer.')

/** The problem with the first question that the engine does not answer. */
const firstUnsupported = (
  engine: AnsweringEngine,
  { questions }: EngineRequest,
): Problem | undefined => {
  for (const [id, question] of questions) {
    const type = question.type === 'other' ? question.name : question.type
    if (engine.supports(type)) continue
    const message = `questions.${clipped(id)}: unsupported question type "${clipped(type)}"`
    return unsupportedType(message)
  }
  return undefined
}

/**
 * The response document; `undefined` when the engine's answers do not fit the questions. spec: Response
 * document
 */
const responseTo = (
  { questions }: EngineRequest,
  { model, answers, usage }: EngineAnswer,
): Draft | undefined => {
  if (answers.length !== questions.length) return undefined
  const written: Array<readonly [id: string, answer: Draft]> = []
  for (const [i, [id, question]] of questions.entries()) {
    const given = answers[i]
    const answer = given && answerTo(question, given)
    if (answer === undefined) return undefined
    written.push([id, Answer.encode(answer)])
  }
  return { model, answers: new Entries(written), usage }
}

const noteQuestions = (
  call: Call,
  metrics: Metrics,
  { model, request: { questions } }: CheckedAsk,
): void => {
  call.notes.questions = questions.length
  call.span.set({
    'gen_ai.request.model': model === undefined ? undefined : clipped(model),
    'svc.questions.count': questions.length,
  })
  for (const [, question] of questions) metrics.asked(question.type)
}

const noteAnswer = (call: Call, metrics: Metrics, { model, usage }: EngineAnswer): void => {
  call.notes.model = model
  call.span.set({
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': usage.input_tokens ?? undefined,
    'gen_ai.usage.output_tokens': usage.output_tokens ?? undefined,
  })
  metrics.tokens(usage.input_tokens, usage.output_tokens)
}
