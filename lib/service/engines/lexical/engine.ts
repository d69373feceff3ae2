import * as E from 'fp-ts/Either'
import {
  type AnsweringEngine,
  type Distribution,
  type EngineAnswer,
  type EngineFailure,
  type EngineRequest,
  unsupported,
} from '../engine'
import { askedOf } from './asked'
import { judge } from './judge'
import { readState } from './state'
import { makeRoom } from './terms'
import { type Weights, weights } from './weights'

/** The model's name in requests and responses. D39 */
export const lexicalModel = 'svc-lexical-1'

/**
 * The engine that needs no model: it compares the words of a question with those of the state. It is meant for
 * trying the service out and for tests. The same request always gets the same answer. Where no words match, the
 * answer is exactly 0.5, or the same probability for every option. It counts no tokens. D39, D41
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

/** Answers every question of a request, using these weights. Fails on a question of an unknown type. */
export const answerWith = (
  { state, questions }: EngineRequest,
  used: Weights,
): E.Either<EngineFailure, EngineAnswer> => {
  makeRoom()
  const read = readState(state, askedOf(questions))
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
