import * as E from 'fp-ts/Either'
import type { AskFacts, ComputingEngine, EngineContext, Responded } from '../contract/engine'
import { modelList } from '../contract/models'
import type { CallEngine } from '../limits/call-engine'
import type { Metrics } from '../observe/metrics'
import { type Call, jsonReply, type Operations, problemReply } from './call'

/**
 * The API's operations for an engine that answers questions: asks it, and records facts about the request and
 * the response in log, span and metrics. D39
 */
export const answering = (
  { model, ask, isQuick }: Pick<ComputingEngine, 'model' | 'ask' | 'isQuick'>,
  callEngine: CallEngine,
  metrics: Metrics,
): Operations => ({
  ask: async (call, body) => {
    const asked = (context: EngineContext) => async () => {
      const { facts, result } = await ask(body, context)
      if (facts !== undefined) noteFacts(call, metrics, facts)
      return result
    }
    const answered = await callEngine(call, asked, isQuick(body))
    if (E.isLeft(answered)) return problemReply(answered.left, call)
    noteAnswer(call, metrics, answered.right)
    return jsonReply(answered.right.body)
  },
  models: async () => jsonReply(JSON.stringify({ models: modelList(model) })),
})

const noteFacts = (call: Call, metrics: Metrics, { model, types }: AskFacts): void => {
  const count = Object.values(types).reduce((sum, one) => sum + one, 0)
  call.notes.questions = count
  call.span.set({ 'gen_ai.request.model': model, 'svc.questions.count': count })
  for (const [type, many] of Object.entries(types)) if (many > 0) metrics.asked(type, many)
}

const noteAnswer = (call: Call, metrics: Metrics, { model, usage }: Responded): void => {
  call.notes.model = model
  call.span.set({
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': usage.input_tokens ?? undefined,
    'gen_ai.usage.output_tokens': usage.output_tokens ?? undefined,
  })
  metrics.tokens(usage.input_tokens, usage.output_tokens)
}
