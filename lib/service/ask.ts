import * as E from 'fp-ts/Either'
import { type Draft, Entries, encodeText } from '../json/draft'
import { answerOf } from './answers'
import { type Call, type Dialect, jsonReply, problemReply, type Reply } from './call'
import type { AnsweringEngine, EngineAnswer } from './engine'
import { callEngine, type EngineDoor } from './engine-call'
import { resolveModel } from './models'
import { clipped, engineFailed, type Problem, unknownModel, unsupportedType } from './problem'
import { type CheckedAsk, readAsk } from './request'

/** Answers a request document: check, resolve the model, ask the engine, build the response. D39 */
export const ask =
  (door: EngineDoor, engine: AnsweringEngine) =>
  async (call: Call, dialect: Dialect, body: Buffer): Promise<Reply> => {
    const read = readAsk(body)
    if (E.isLeft(read)) return problemReply(read.left, call)
    const asked = read.right
    noteQuestions(door, call, asked)
    const model = resolveModel(engine.models, asked.model, dialect)
    if (model === undefined) return problemReply(unknownModel(asked.model ?? ''), call)
    const refused = firstUnsupported(engine, asked)
    if (refused !== undefined) return problemReply(refused, call)
    const result = await callEngine(door, call, (context) =>
      engine.answer(asked.request, model, context),
    )
    if (E.isLeft(result)) return problemReply(result.left, call)
    const document = responseOf(asked, result.right)
    if (document === undefined) return problemReply(brokenAnswer, call)
    noteAnswer(door, call, result.right)
    return jsonReply(encodeText(document))
  }

const brokenAnswer: Problem = engineFailed('The engine gave no usable answer.')

const noteQuestions = (door: EngineDoor, call: Call, asked: CheckedAsk): void => {
  call.notes.questions = asked.request.questions.length
  if (asked.model !== undefined) call.span.set({ 'gen_ai.request.model': clipped(asked.model) })
  call.span.set({ 'svc.questions.count': asked.request.questions.length })
  for (const [, question] of asked.request.questions) door.metrics.asked(question.type)
}

const noteAnswer = (door: EngineDoor, call: Call, answer: EngineAnswer): void => {
  const { input_tokens, output_tokens } = answer.usage
  call.notes.model = answer.model
  call.span.set({
    'gen_ai.response.model': answer.model,
    'gen_ai.usage.input_tokens': input_tokens ?? undefined,
    'gen_ai.usage.output_tokens': output_tokens ?? undefined,
  })
  door.metrics.tokens(input_tokens, output_tokens)
}

const firstUnsupported = (engine: AnsweringEngine, asked: CheckedAsk): Problem | undefined => {
  for (const [id, question] of asked.request.questions) {
    const type = question.type === 'other' ? question.name : question.type
    if (!engine.supports(type)) {
      return unsupportedType(
        `questions.${clipped(id)}: unsupported question type "${clipped(type)}"`,
      )
    }
  }
  return undefined
}

/** The response document, or `undefined` when the engine's answer does not fit the questions. */
const responseOf = (asked: CheckedAsk, answer: EngineAnswer): Draft | undefined => {
  if (answer.answers.length !== asked.shapes.length) return undefined
  const entries: Array<readonly [CheckedAsk['shapes'][number]['id'], Draft]> = []
  for (const [index, shape] of asked.shapes.entries()) {
    const given = answer.answers[index]
    const one = given === undefined ? undefined : answerOf(shape, given)
    if (one === undefined) return undefined
    entries.push([shape.id, one])
  }
  return { model: answer.model, answers: new Entries(entries), usage: answer.usage }
}
