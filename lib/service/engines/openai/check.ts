import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { plainMessageOf } from '../../../failure/message'
import { engineFailed, type Problem } from '../../contract/problem'
import type { TokenCompletion } from '../readout/answers'
import { maxLetters } from '../readout/letters'
import { promptPrefix } from '../readout/prompt'
import { noLogprobs } from '../readout/read-distribution'
import { checkTrial, trialQuestion, trialState } from '../readout/trial'
import type { EngineConnection } from './connection'
import { describeMiss, type EngineMiss } from './failures'
import type { OpenaiOptions } from './options'
import { bodyMaker, type RequestForm } from './request-body'

/** The reason why an engine cannot be used. */
export interface CheckFault {
  /** True if the engine may work later: it cannot be reached, or is not ready. */
  readonly isAway: boolean
  /** The problem for callers and for the log. */
  readonly problem: Problem
  /** The message for the operator at the start: the fault and, if possible, its remedy. */
  readonly why: string
}

/**
 * Checks that the engine lists the model, that it returns log-probabilities, and that the model answers with a letter.
 * Finds out how its requests have to be written. An engine without a model list passes that check.
 */
export const checkEngine = (
  options: OpenaiOptions,
  connection: EngineConnection,
  signal: AbortSignal,
): TE.TaskEither<CheckFault, RequestForm> =>
  pipe(
    findModel(options, connection, signal),
    TE.chain(() => askTrial(options, connection, signal, usualForm)),
  )

/**
 * Asks for the list of models to see whether the engine is reachable. Every response counts except a 5xx and a
 * refusal of the key.
 */
export const pingEngine = (
  connection: EngineConnection,
  signal: AbortSignal,
): TE.TaskEither<Problem, void> =>
  pipe(
    connection.models({ signal }),
    TE.map((): void => undefined),
    TE.orElse((miss) => {
      const { failure } = miss
      return failure._tag === 'InvalidResponse' ||
        (failure._tag === 'ApiError' && failure.status < 500 && !refusesKey(failure.status))
        ? TE.right(undefined)
        : TE.left(describeMiss(miss))
    }),
  )

const refusesKey = (status: number): boolean => status === 401 || status === 403

const findModel = (
  { model }: OpenaiOptions,
  connection: EngineConnection,
  signal: AbortSignal,
): TE.TaskEither<CheckFault, void> =>
  pipe(
    connection.models({ signal }),
    TE.orElse(
      (miss): TE.TaskEither<CheckFault, ReadonlyArray<string>> =>
        hasNoList(miss) ? TE.right([model]) : TE.left(faultOf(miss)),
    ),
    TE.chain((ids) =>
      ids.includes(model) || ids.includes(`${model}:latest`)
        ? TE.right(undefined)
        : TE.left(
            wrong(
              `the engine does not list the model "${model}"`,
              `; it lists ${describeIds(ids)}: pass one of them with --engine-model`,
            ),
          ),
    ),
  )

const hasNoList = ({ failure }: EngineMiss): boolean =>
  failure._tag === 'ApiError' && (failure.status === 404 || failure.status === 405)

/** The form of requests that is tried first. */
export const usualForm: RequestForm = { limitMember: 'max_tokens', listed: maxLetters }

/** The number of likely tokens that is requested if 20 are refused. No known engine lists fewer. */
const fewListed = 5

/** Asks the trial question, and asks again in another form if the engine refuses this one. */
const askTrial = (
  options: OpenaiOptions,
  connection: EngineConnection,
  signal: AbortSignal,
  form: RequestForm,
): TE.TaskEither<CheckFault, RequestForm> =>
  pipe(
    connection.complete(
      bodyMaker(options.model, promptPrefix(trialState), form, options.body)(trialQuestion),
      { signal },
    ),
    TE.foldW(
      (miss) => {
        const other = otherForm(form, miss)
        return other === undefined
          ? TE.left(faultOf(miss))
          : askTrial(options, connection, signal, other)
      },
      (completion) =>
        pipe(
          TE.fromEither(checkCompletion(options, completion)),
          TE.map(() => form),
        ),
    ),
  )

/**
 * Returns the form to try after a refusal: with the other member, or a shorter list. `undefined` if the refusal was
 * about neither.
 */
const otherForm = (form: RequestForm, { failure }: EngineMiss): RequestForm | undefined => {
  if (failure._tag !== 'ApiError' || failure.status >= 500) return undefined
  if (form.limitMember === 'max_tokens' && failure.message.includes('max_completion_tokens'))
    return { ...form, limitMember: 'max_completion_tokens' }
  if (form.listed > fewListed && /top_?logprobs/i.test(failure.message))
    return { ...form, listed: fewListed }
  return undefined
}

const checkCompletion = (
  { model }: OpenaiOptions,
  { candidates }: TokenCompletion,
): E.Either<CheckFault, void> =>
  candidates.length === 0
    ? E.left(
        wrong(
          `${noLogprobs} for the model "${model}"`,
          '. It has to support logprobs and top_logprobs in ' +
            'chat completions (Ollama does from 0.12.11 on; llama.cpp, vLLM and SGLang do)',
        ),
      )
    : pipe(
        checkTrial(candidates, model, advice),
        E.mapLeft((why) => ({
          ...wrong(`the model "${model}" does not answer with letters`),
          why,
        })),
      )

const advice = 'A model that thinks first has to be told not to, see --engine-body'

/** Creates a fault that waiting does not cure. Only the operator sees `more`. */
const wrong = (what: string, more = ''): CheckFault => ({
  isAway: false,
  problem: engineFailed(what),
  why: what + more,
})

const faultOf = (miss: EngineMiss): CheckFault => {
  const { failure } = miss
  const isAway =
    failure._tag === 'Connection' ||
    (failure._tag === 'ApiError' && (failure.status >= 500 || [408, 429].includes(failure.status)))
  return { isAway, problem: describeMiss(miss), why: plainMessageOf(failure) }
}

const describeIds = (ids: ReadonlyArray<string>): string =>
  ids.length === 0
    ? 'none'
    : ids.slice(0, 5).join(', ') + (ids.length > 5 ? ` and ${ids.length - 5} more` : '')
