import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Miss } from '../../../client/attempt'
import { plainMessage } from '../../../failure/message'
import { badAnswer, type EngineFailure } from '../engine'
import { encodedPrefix } from '../readout/encoded-prefix'
import { noLogprobs } from '../readout/read-distribution'
import { checkTrial, trialQuestion, trialState } from '../readout/trial'
import type { Completion } from './completion'
import type { Connection } from './connection'
import { engineFailure } from './failures'
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
): TE.TaskEither<EngineFailure, void> =>
  pipe(
    listed(options, connection, signal),
    TE.chain(() => TE.mapLeft((missed: Miss): Told => missed)(asked(options, connection, signal))),
    TE.mapLeft(said(options)),
    TE.chainEitherK((completion) => check(options, completion)),
  )

/**
 * Asks for the list of models to see whether the engine is reachable. Every response counts except a 5xx and a
 * refusal of the key. D78
 */
export const ping = (
  connection: Connection,
  signal: AbortSignal,
): TE.TaskEither<EngineFailure, unknown> =>
  pipe(
    connection.models({ signal }),
    TE.map((): void => undefined),
    TE.orElse(({ failure, retryAfterMs }) =>
      failure._tag === 'InvalidResponse' ||
      (failure._tag === 'ApiError' && failure.status < 500 && !refusesKey(failure.status))
        ? TE.right(undefined)
        : TE.left(engineFailure(failure, retryAfterMs)),
    ),
  )

const refusesKey = (status: number): boolean => status === 401 || status === 403

const asked = (
  { model, body }: OpenaiOptions,
  connection: Connection,
  signal: AbortSignal,
): TE.TaskEither<Miss, Completion> =>
  pipe(
    TE.fromTask(() => encodedPrefix(trialState)),
    TE.chain((prefix) =>
      connection.complete(bodyMaker(model, prefix, body)(trialQuestion), { signal }),
    ),
  )

const listed = (
  options: OpenaiOptions,
  connection: Connection,
  signal: AbortSignal,
): TE.TaskEither<Told, void> =>
  pipe(
    connection.models({ signal }),
    TE.orElse(
      (missed): TE.TaskEither<Told, ReadonlyArray<string> | undefined> =>
        hasNoList(missed) ? TE.right(undefined) : TE.left(missed),
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

/** Why the probe failed: a sentence worded here, or the failure of a call. */
type Told = string | Miss

const hasNoList = ({ failure }: Miss): boolean =>
  failure._tag === 'ApiError' && (failure.status === 404 || failure.status === 405)

const said =
  ({ url }: OpenaiOptions) =>
  (told: Told): EngineFailure =>
    badAnswer(`engine ${url}: ${typeof told === 'string' ? told : plainMessage(told.failure)}`)

const check = (
  { url, model }: OpenaiOptions,
  { candidates }: Completion,
): E.Either<EngineFailure, void> => {
  const wrong = (what: string) => E.left(badAnswer(`engine ${url}: ${what}`))
  if (candidates.length === 0) {
    return wrong(
      `${noLogprobs} for the model "${model}". It has to support logprobs and top_logprobs in ` +
        'chat completions (Ollama does from 0.12.11 on; llama.cpp, vLLM and SGLang do)',
    )
  }
  const checked = checkTrial(candidates, model, advice)
  return E.isLeft(checked) ? wrong(checked.left) : checked
}

const advice = 'A model that thinks first has to be told not to, see --engine-body'

const shown = (ids: ReadonlyArray<string>): string =>
  ids.length === 0
    ? 'none'
    : ids.slice(0, 5).join(', ') + (ids.length > 5 ? ` and ${ids.length - 5} more` : '')
