import * as E from 'fp-ts/Either'
import {
  type AnsweringEngine,
  type Distribution,
  type EngineAnswer,
  type EngineFailure,
  type EngineRequest,
  unsupported,
} from '../engine'
import { judge } from './judge'
import { readState } from './state'
import { type Weights, weights } from './weights'

/** The model's name in requests and responses. D39 */
export const lexicalModel = 'svc-lexical-1'

/**
 * The engine that needs nothing: compares words, in process and deterministically. For trying out and
 * for tests. It reports no evidence as exactly 0.5 or a uniform distribution. It reads words, not tokens, and
 * so reports no usage. D39, D41
 */
export const lexicalEngine = (): AnsweringEngine => ({
  kind: 'answering',
  name: 'lexical',
  models: [
    {
      name: lexicalModel,
      description: 'Compares words, in process. For trying out and for tests.',
      release_date: '2026-11-01T00:00:00+00:00',
    },
  ],
  supports: (type) => type === 'noul' || type === 'choice' || type === 'score',
  answer: (request) => async () => answerWith(request, weights),
  close: () => Promise.resolve(),
})

/** Answers every question of a request by these weights. Fails on a question of an unknown type. */
export const answerWith = (
  { state, questions }: EngineRequest,
  used: Weights,
): E.Either<EngineFailure, EngineAnswer> => {
  const read = readState(state)
  const answers: Distribution[] = []
  for (const [, question] of questions) {
    if (question.type === 'other') {
      return E.left(
        unsupported(`${lexicalModel} does not answer questions of type ${question.name}`),
      )
    }
    answers.push(judge(question, read, used))
  }
  return E.right({
    model: lexicalModel,
    answers,
    usage: { input_tokens: null, output_tokens: null },
  })
}
