import * as E from 'fp-ts/Either'
import { identity, pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { AnsweringEngine, EngineAnswer, EngineRequest } from '../../contract/engine'
import { maxTokensExceeded, type Problem } from '../../contract/problem'
import { judge, textsOf } from './judge'
import { countWords, readWords, textOfContent } from './words'

/** The most words that state and questions may have together. D80 */
const mostWords = 32_768

/**
 * The engine that needs no model: it compares the words of a question with those of the state. It is a stand-in, meant for
 * trying the service out and for tests. The same request always gets the same answer. It counts no tokens. D39, D41
 */
export const lexicalEngine = (): AnsweringEngine => ({
  kind: 'answering',
  name: 'lexical',
  model: {
    name: 'svc-lexical-1',
    description: 'Compares words, in process. For trying out and for tests.',
    release_date: '2026-11-01T00:00:00+00:00',
  },
  answer: (request, { compute }) =>
    pipe(
      compute(() => answerByWords(request)),
      TE.chainEitherK(identity),
    ),
  close: () => Promise.resolve(),
})

/**
 * Answers every question of a request. Fails where the words of the request are more than the engine reads, which bounds
 * the time that it takes. D77, D80
 */
export const answerByWords = ({
  state,
  questions,
}: EngineRequest): E.Either<Problem, EngineAnswer> => {
  const stateText = textOfContent(state)
  const texts = questions.map(([, question]) => textsOf(question))
  const all = [
    stateText,
    ...texts.flatMap(({ instructions, options }) => [instructions, ...options]),
  ]
  const words = all.reduce((sum, text) => sum + countWords(text), 0)
  if (words > mostWords)
    return E.left(
      maxTokensExceeded(
        `the state and the questions are too long for the engine: ${words} words, at most ${mostWords}`,
      ),
    )
  const stateWords = readWords(stateText)
  return E.right({
    answers: texts.map((question) => judge(question, stateWords)),
    usage: { input_tokens: null, output_tokens: null },
  })
}
