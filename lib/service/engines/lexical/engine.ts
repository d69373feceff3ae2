import * as E from 'fp-ts/Either'
import type {
  AnsweringEngine,
  Distribution,
  EngineAnswer,
  EngineRequest,
} from '../../contract/engine'
import { maxTokensExceeded, type Problem } from '../../contract/problem'
import { answerByWords, type QuestionTexts, readTextsOf } from './answer-by-words'
import { countWords, readWords, textOfContent, type Words } from './words'

/** The state and the questions together may have at most this many words. */
const maxWords = 32_768

/**
 * The engine that needs no model: it compares the words of a question with those of the state. It is for trying the
 * service out and for tests. The same request always gets the same answer. It counts no tokens.
 */
export const createLexicalEngine = (): AnsweringEngine => ({
  kind: 'answering',
  name: 'lexical',
  takesOneRequest: true,
  model: {
    name: 'svc-lexical-1',
    description: 'Compares words, in process. For trying out and for tests.',
    release_date: '2026-11-01T00:00:00+00:00',
  },
  answer:
    (request, { compute }) =>
    async () => {
      const texts = E.flatten(await compute(() => readTexts(request))())
      if (E.isLeft(texts)) return texts
      const { questions, state } = texts.right
      const answers: Distribution[] = []
      for (const piece of splitIntoPieces(questions)) {
        const pieceAnswers = await compute(() =>
          piece.map((question) => answerByWords(question, state)),
        )()
        if (E.isLeft(pieceAnswers)) return pieceAnswers
        answers.push(...pieceAnswers.right)
      }
      return E.right({ answers, usage })
    },
  close: () => Promise.resolve(),
})

const usage: EngineAnswer['usage'] = { input_tokens: null, output_tokens: null }

/** After about this many options the event loop handles other requests. */
const optionsPerPiece = 2000

/** Splits questions into pieces that each have about as many options. */
const splitIntoPieces = (
  questions: ReadonlyArray<QuestionTexts>,
): ReadonlyArray<ReadonlyArray<QuestionTexts>> => {
  const pieces: Array<Array<QuestionTexts>> = []
  let room = 0
  for (const question of questions) {
    if (room <= 0) {
      pieces.push([])
      room = optionsPerPiece
    }
    pieces.at(-1)?.push(question)
    room -= 1 + question.options.length
  }
  return pieces
}

/** The texts of the questions, and the words of the state. */
interface Texts {
  readonly questions: ReadonlyArray<QuestionTexts>
  readonly state: Words
}

/** Reads the texts of a request. Fails if they have too many words. */
export const readTexts = ({ state, questions }: EngineRequest): E.Either<Problem, Texts> => {
  const stateText = textOfContent(state)
  const texts = questions.map(([, question]) => readTextsOf(question))
  const all = [
    stateText,
    ...texts.flatMap(({ instructions, options }) => [instructions, ...options]),
  ]
  const words = all.reduce((sum, text) => sum + countWords(text), 0)
  if (words > maxWords)
    return E.left(
      maxTokensExceeded(
        `the state and the questions are too long for the engine: ${words} words, at most ${maxWords}`,
      ),
    )
  return E.right({ questions: texts, state: readWords(stateText) })
}
