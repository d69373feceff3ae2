import * as E from 'fp-ts/Either'
import {
  type AnsweringEngine,
  type Distribution,
  type EngineAnswer,
  type EngineFailure,
  type EngineQuestion,
  type EngineRequest,
  unsupported,
} from '../engine'
import { type Judge, judgeOf } from './judge'
import { readState } from './state'
import { type Weights, weights } from './weights'

type Known = Exclude<EngineQuestion, { type: 'other' }>

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
  answer: answering(weights),
  close: () => Promise.resolve(),
})

/** What is prepared of a question is kept as long as the question itself. */
const preparedOnce = (used: Weights): ((question: Known) => Judge) => {
  const judges = new WeakMap<Known, Judge>()
  return (question) => {
    const known = judges.get(question)
    if (known !== undefined) return known
    const judge = judgeOf(question, used)
    judges.set(question, judge)
    return judge
  }
}

const answering = (used: Weights): AnsweringEngine['answer'] => {
  const judgeFor = preparedOnce(used)
  return (request) => async () => answerBy(request, judgeFor)
}

/** `answer` under other weights, for tuning. */
export const answerWith = (
  request: EngineRequest,
  tried: Weights,
): E.Either<EngineFailure, EngineAnswer> =>
  answerBy(request, (question) => judgeOf(question, tried))

const answerBy = (
  request: EngineRequest,
  judgeFor: (question: Known) => Judge,
): E.Either<EngineFailure, EngineAnswer> => {
  const ask = readState(request.state)
  const answers: Distribution[] = []
  for (const [, question] of request.questions) {
    if (question.type === 'other') {
      return E.left(
        unsupported(`${lexicalModel} does not answer questions of type ${question.name}`),
      )
    }
    answers.push(judgeFor(question)(ask))
  }
  return E.right({
    model: lexicalModel,
    answers,
    usage: { input_tokens: null, output_tokens: null },
  })
}
