import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { AnsweringEngine } from '../../contract/engine'
import { readAnswers } from '../readout/answers'
import { encodedPrefix } from '../readout/encoded-prefix'
import { connect, type Outside } from './connection'
import { engineProblem } from './failures'
import type { OpenaiOptions } from './options'
import { ping, probe } from './probe'
import { bodyMaker } from './request-body'

/**
 * The engine that asks a language model behind an OpenAI-compatible endpoint and reads its answers as letters:
 * one call for each question and each order of its options. When a call fails, the request fails and its other
 * calls are cancelled. D39, D40
 */
export const openaiEngine = (options: OpenaiOptions, outside: Outside): AnsweringEngine => {
  const connection = connect(options, outside)
  const since = new Date(outside.runtime.clock.now()).toISOString()
  return {
    kind: 'answering',
    name: 'openai',
    model: {
      name: options.model,
      description: 'A language model, read by the log-probabilities of one letter.',
      release_date: since,
    },
    probe: () => probe(options, connection, outside.runtime.signal),
    ping: (signal) => ping(connection, signal),
    answer:
      ({ state, questions }, { signal, span }) =>
      async () => {
        const body = bodyMaker(options.model, await encodedPrefix(state), options.body)
        const ask = (question: string, end: AbortSignal) =>
          pipe(
            connection.complete(body(question), { signal: end, span }),
            TE.mapLeft(engineProblem),
          )
        return readAnswers(questions, options, { ask, atOnce: options.concurrency }, signal)()
      },
    close: () => Promise.resolve(),
  }
}
