import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Miss } from '../../../client/attempt'
import { plainMessageOf } from '../../../failure/message'
import { engineFailed, type Problem } from '../../contract/problem'
import type { Completion } from '../readout/answers'
import { encodedPrefix } from '../readout/encoded-prefix'
import { noLogprobs } from '../readout/read-distribution'
import { checkTrial, trialQuestion, trialState } from '../readout/trial'
import type { Connection } from './connection'
import { engineProblem } from './failures'
import type { OpenaiOptions } from './options'
import { bodyMaker } from './request-body'

/**
 * Checks before the service accepts connections that the engine lists the model, that it returns
 * log-probabilities, and that the model answers with a letter. The message of a failure tells the operator what
 * is wrong and, where possible, what to do. An engine without a model list passes that check. D40
 */
export const probe = (
  options: OpenaiOptions,
  connection: Connection,
  signal: AbortSignal,
): TE.TaskEither<Problem, void> =>
  pipe(
    listed(options, connection, signal),
    TE.chain(() => asked(options, connection, signal)),
    TE.chainEitherK((completion) => check(options, completion)),
    TE.mapLeft((why) => engineFailed(`engine ${options.url}: ${why}`)),
  )

/**
 * Asks for the list of models to see whether the engine is reachable. Every response counts except a 5xx and a
 * refusal of the key. D78
 */
export const ping = (
  connection: Connection,
  signal: AbortSignal,
): TE.TaskEither<Problem, unknown> =>
  pipe(
    connection.models({ signal }),
    TE.map((): void => undefined),
    TE.orElse((missed) => {
      const { failure } = missed
      return failure._tag === 'InvalidResponse' ||
        (failure._tag === 'ApiError' && failure.status < 500 && !refusesKey(failure.status))
        ? TE.right(undefined)
        : TE.left(engineProblem(missed))
    }),
  )

const refusesKey = (status: number): boolean => status === 401 || status === 403

const asked = (
  { model, body }: OpenaiOptions,
  connection: Connection,
  signal: AbortSignal,
): TE.TaskEither<string, Completion> =>
  pipe(
    TE.fromTask(() => encodedPrefix(trialState)),
    TE.chain((prefix) =>
      connection.complete(bodyMaker(model, prefix, body)(trialQuestion), { signal }),
    ),
    TE.mapLeft(({ failure }) => plainMessageOf(failure)),
  )

const listed = (
  options: OpenaiOptions,
  connection: Connection,
  signal: AbortSignal,
): TE.TaskEither<string, void> =>
  pipe(
    connection.models({ signal }),
    TE.orElse(
      (missed): TE.TaskEither<string, ReadonlyArray<string> | undefined> =>
        hasNoList(missed) ? TE.right(undefined) : TE.left(plainMessageOf(missed.failure)),
    ),
    TE.chain((ids) =>
      ids === undefined || ids.includes(options.model) || ids.includes(`${options.model}:latest`)
        ? TE.right(undefined)
        : TE.left(
            `the engine does not list the model "${options.model}"; it lists ${shown(ids)}: ` +
              'pass one of them with --engine-model',
          ),
    ),
  )

const hasNoList = ({ failure }: Miss): boolean =>
  failure._tag === 'ApiError' && (failure.status === 404 || failure.status === 405)

const check = ({ model }: OpenaiOptions, { candidates }: Completion): E.Either<string, void> =>
  candidates.length === 0
    ? E.left(
        `${noLogprobs} for the model "${model}". It has to support logprobs and top_logprobs in ` +
          'chat completions (Ollama does from 0.12.11 on; llama.cpp, vLLM and SGLang do)',
      )
    : checkTrial(candidates, model, advice)

const advice = 'A model that thinks first has to be told not to, see --engine-body'

const shown = (ids: ReadonlyArray<string>): string =>
  ids.length === 0
    ? 'none'
    : ids.slice(0, 5).join(', ') + (ids.length > 5 ? ` and ${ids.length - 5} more` : '')
