import * as E from 'fp-ts/Either'
import type {
  AnsweringEngine,
  Distribution,
  EngineAnswer,
  EngineRequest,
} from '../../contract/engine'
import { maxTokensExceeded, type Problem } from '../../contract/problem'
import { answerByWords, type QuestionTexts, readQuestionTexts } from './answer-by-words'
import { countWords, readWords, textOfContent, type Words } from './words'

/** The maximum number of words of the state and all questions together. */
const maxWords = 32_768

const usage: EngineAnswer['usage'] = { input_tokens: null, output_tokens: null }

/**
 * Creates the engine that compares the words of a question with those of the state. It needs no model, and is for trying the service
 * out and for tests. The same request always gets the same answer. The engine counts no tokens.
 */
export const createLexicalEngine = (): AnsweringEngine => ({
  kind: 'answering',
  name: 'embedded',
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
      for (const chunk of splitIntoChunks(questions)) {
        const chunkAnswers = await compute(() =>
          chunk.map((question) => answerByWords(question, state)),
        )()
        if (E.isLeft(chunkAnswers)) return chunkAnswers
        answers.push(...chunkAnswers.right)
      }
      return E.right({ answers, usage })
    },
  close: () => Promise.resolve(),
})

/** The number of options that are compared before the event loop handles other requests, approximately. */
const optionsPerChunk = 2000

/** Splits questions into chunks of about `optionsPerChunk` options. */
const splitIntoChunks = (
  questions: ReadonlyArray<QuestionTexts>,
): ReadonlyArray<ReadonlyArray<QuestionTexts>> => {
  const chunks: Array<Array<QuestionTexts>> = []
  let remainingOptions = 0
  for (const question of questions) {
    if (remainingOptions <= 0) {
      chunks.push([])
      remainingOptions = optionsPerChunk
    }
    chunks.at(-1)?.push(question)
    // A question takes time even without options.
    remainingOptions -= 1 + question.options.length
  }
  return chunks
}

interface RequestTexts {
  readonly questions: ReadonlyArray<QuestionTexts>
  readonly state: Words
}

/** Reads the texts of the questions and the words of the state. Fails if they have more than `maxWords` words together. */
export const readTexts = ({ state, questions }: EngineRequest): E.Either<Problem, RequestTexts> => {
  const stateText = textOfContent(state)
  const questionTexts = questions.map(([, question]) => readQuestionTexts(question))
  let wordCount = countWords(stateText)
  for (const { instructions, options } of questionTexts)
    for (const text of [instructions, ...options]) wordCount += countWords(text)
  if (wordCount > maxWords)
    return E.left(
      maxTokensExceeded(
        `the state and the questions are too long for the engine: ${wordCount} words, at most ${maxWords}`,
      ),
    )
  return E.right({ questions: questionTexts, state: readWords(stateText) })
}
