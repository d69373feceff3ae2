import * as E from 'fp-ts/Either'
import { quoted } from '../../json/draft'
import type { AnsweringEngine, EngineAnswer } from '../engines/engine'
import { callEngine, type EngineDoor } from '../engines/engine-call'
import { resolveModel } from '../engines/models'
import { clipped, engineFailed, type Problem, unknownModel, unsupportedType } from '../problem'
import { type Call, type Dialect, jsonReply, problemReply, type Reply } from './call'
import { askReader, type CheckedAsk } from './request'

/** Answers a request document: check, resolve the model, ask the engine, build the response. D39 */
export const ask = (door: EngineDoor, engine: AnsweringEngine) => {
  const readAsk = askReader()
  return async (call: Call, dialect: Dialect, body: Buffer): Promise<Reply> => {
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
    return jsonReply(document)
  }
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
const responseOf = ({ request, writers }: CheckedAsk, answer: EngineAnswer): string | undefined => {
  if (answer.answers.length !== writers.length) return undefined
  let answers = ''
  for (let i = 0; i < writers.length; i++) {
    const given = answer.answers[i]
    const one = given && writers[i]?.(given)
    if (one === undefined) return undefined
    answers += `${i === 0 ? '' : ','}${quoted(request.questions[i]?.[0] ?? '')}:${one}`
  }
  const { input_tokens, output_tokens } = answer.usage
  const usage = `{"input_tokens":${JSON.stringify(input_tokens)},"output_tokens":${JSON.stringify(output_tokens)}}`
  return `{"model":${quoted(answer.model)},"answers":{${answers}},"usage":${usage}}`
}
