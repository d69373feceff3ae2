import * as E from 'fp-ts/Either'
import { completeModels } from '../../dialect/model-list'
import { encode, toJson } from '../../json/draft'
import { type AnsweringEngine, modelList } from '../contract/engine'
import type { CallEngine } from '../limits/call-engine'
import type { Metrics } from '../observe/metrics'
import { type AskFacts, answerAsk, type Responded } from './answer-ask'
import { type Call, jsonReply, type Operations, problemReply } from './call'

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
