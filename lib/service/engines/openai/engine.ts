import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import {
  type AnsweringEngine,
  type Distribution,
  type EngineFailure,
  type EngineQuestion,
  unsupported,
} from '../engine'
import { type Calls, startCalls } from './calls'
import { connect, type Outside } from './connection'
import type { OpenaiOptions } from './options'
import { probe } from './probe'
import { optionTexts, promptPrefix, promptQuestion } from './prompt'
import { readCompletion } from './read-distribution'
import { bodyMaker } from './request-body'
import { rotate, unrotate } from './rotations'
import { inRounds } from './rounds'

/**
 * The engine that asks a language model behind an OpenAI-compatible endpoint. Each option of a question gets a
 * letter, and one call asks for the letter of the best option: the probabilities of the letters as the first
 * token are the answer. More options than one call can tell apart, and several orders of the options, take
 * further calls. A call that fails fails the whole request and ends its other calls. D39, D40
 */
export const openaiEngine = (options: OpenaiOptions, outside: Outside): AnsweringEngine => {
  const connection = connect(options, outside)
  const since = new Date(outside.runtime.clock.now()).toISOString()
  return {
    kind: 'answering',
    name: 'openai',
    models: [
      {
        name: options.model,
        description: 'A language model, read by the log-probabilities of one letter.',
        release_date: since,
      },
    ],
    supports: (type) => type === 'noul' || type === 'choice' || type === 'score',
    probe: () => probe(options, connection, outside.runtime.signal),
    answer: (request, _, context) => async () => {
      const body = bodyMaker(options.model, promptPrefix(request.state), options.body)
      const calls = startCalls(connection, options.concurrency, context)
      const answers = await pipe(
        request.questions,
        TE.traverseArray(([id, question]) =>
          pipe(
            answerOne(question, options, (prompt) => calls.send(() => body(prompt))),
            TE.mapLeft((failure) => calls.failed(about(id, failure))),
          ),
        ),
      )()
      return pipe(
        E.isLeft(answers) ? E.left(calls.firstFailure() ?? answers.left) : answers,
        E.map((all) => ({ model: options.model, answers: all, usage: calls.usage() })),
      )
    },
    close: () => Promise.resolve(),
  }
}

const answerOne = (
  question: EngineQuestion,
  { permutations, temperature }: OpenaiOptions,
  send: (prompt: string) => ReturnType<Calls['send']>,
): TE.TaskEither<EngineFailure, Distribution> => {
  if (question.type === 'other') {
    return TE.left(unsupported(`questions of type ${question.name} are not answered`))
  }
  const texts = optionTexts(question)
  const probabilities = inRounds<EngineFailure>(texts.length, (options) =>
    pipe(
      rotate(options, permutations),
      TE.traverseArray((order) =>
        pipe(
          send(
            promptQuestion(
              question,
              order.map((option) => texts[option] ?? ''),
            ),
          ),
          TE.chainEitherK((completion) => readCompletion(completion, order.length, temperature)),
        ),
      ),
      TE.map(unrotate),
    ),
  )
  return pipe(
    probabilities,
    TE.map(
      (all): Distribution =>
        question.type === 'noul'
          ? { type: 'noul', yes: all[0] ?? 0.5 }
          : { type: question.type, probabilities: all },
    ),
  )
}

const about = (id: string, failure: EngineFailure): EngineFailure => ({
  ...failure,
  message: `question ${JSON.stringify(id)}: ${failure.message}`,
})
