import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { AnsweringEngine } from '../engine'
import { readAnswers, readable } from '../readout/answers'
import { encodedPrefix } from '../readout/encoded-prefix'
import { startCalls } from './calls'
import { connect, type Outside } from './connection'
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
    models: [
      {
        name: options.model,
        description: 'A language model, read by the log-probabilities of one letter.',
        release_date: since,
      },
    ],
    supports: readable,
    probe: () => probe(options, connection, outside.runtime.signal),
    ping: (signal) => ping(connection, signal),
    answer:
      ({ state, questions }, _, context) =>
      async () => {
        const body = bodyMaker(options.model, await encodedPrefix(state), options.body)
        const calls = startCalls(connection, options.concurrency, context)
        return pipe(
          readAnswers(questions, options, {
            ask: (question) =>
              pipe(
                calls.send(() => body(question)),
                TE.map(({ candidates }) => candidates),
              ),
            stop: calls.stop,
            atOnce: options.concurrency,
          }),
          TE.map((answers) => ({ model: options.model, answers, usage: calls.usage() })),
        )()
      },
    close: () => Promise.resolve(),
  }
}
