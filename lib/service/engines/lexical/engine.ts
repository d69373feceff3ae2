import * as E from 'fp-ts/Either'
import type { AnsweringEngine, EngineAnswer, EngineRequest } from '../../contract/engine'
import { askedOf } from './asked'
import { judge } from './judge'
import { readState } from './state'
import { makeRoom } from './terms'
import { type Weights, weights } from './weights'

/**
 * The engine that needs no model: it compares the words of a question with those of the state. It is meant for
 * trying the service out and for tests. The same request always gets the same answer. Where no words match, the
 * answer is exactly 0.5, or the same probability for every option. It counts no tokens. D39, D41
 */
export const lexicalEngine = (): AnsweringEngine => ({
  kind: 'answering',
  name: 'lexical',
  model: {
    name: 'svc-lexical-1',
    description: 'Compares words, in process. For trying out and for tests.',
    release_date: '2026-11-01T00:00:00+00:00',
  },
  answer: (request) => async () => E.right(answerWith(request, weights)),
  close: () => Promise.resolve(),
})

/** Answers every question of a request, using these weights. */
export const answerWith = ({ state, questions }: EngineRequest, used: Weights): EngineAnswer => {
  makeRoom()
  const read = readState(state, askedOf(questions))
  return {
    answers: questions.map(([, question]) => judge(question, read, used)),
    usage: { input_tokens: null, output_tokens: null },
  }
}
