import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { plainMessageOf } from '../../../failure/message'
import { engineFailed, type Problem } from '../../contract/problem'
import type { TokenCompletion } from '../readout/answers'
import { maxLetters } from '../readout/letters'
import { formatPrefix } from '../readout/prompt'
import { noLogprobs } from '../readout/read-distribution'
import { checkTrial, trialQuestion, trialState } from '../readout/trial'
import type { EngineConnection } from './connection'
import { describeCallFailure, type EngineCallFailure } from './failures'
import type { OpenaiOptions } from './options'
import { createBodyEncoder, type RequestForm } from './request-body'

/** The reason why an engine cannot be used. */
export interface CheckFailure {
  /** `true` if the engine may work later: it cannot be reached, or is not ready. */
  readonly isAway: boolean
  /** The problem for callers and for the log. */
  readonly problem: Problem
  /** The message for the operator at the start: the reason and, if possible, what to do. */
  readonly message: string
}

/**
 * Checks that the engine lists the model, that it returns log-probabilities, and that the model answers with a letter. An
 * engine without a model list passes the first check. Returns the form of requests that the engine accepts.
 */
export const checkEngine = (
  options: OpenaiOptions,
  connection: EngineConnection,
  signal: AbortSignal,
): TE.TaskEither<CheckFailure, RequestForm> =>
  pipe(
    checkModelList(options, connection, signal),
    TE.chain(() => askTrial(options, connection, signal, defaultForm)),
  )

/** Asks for the list of models, to check if the engine is reachable. Every response counts but a 5xx and a refusal of the key. */
export const pingEngine = (
  connection: EngineConnection,
  signal: AbortSignal,
): TE.TaskEither<Problem, void> =>
  pipe(
    connection.models({ signal }),
    TE.map((): void => undefined),
    TE.orElse((failed) => {
      const { failure } = failed
      return failure._tag === 'InvalidResponse' ||
        (failure._tag === 'ApiError' && failure.status < 500 && !refusesKey(failure.status))
        ? TE.right(undefined)
        : TE.left(describeCallFailure(failed))
    }),
  )

const refusesKey = (status: number): boolean => status === 401 || status === 403

const checkModelList =
  (
    { model }: OpenaiOptions,
    connection: EngineConnection,
    signal: AbortSignal,
  ): TE.TaskEither<CheckFailure, void> =>
  async () => {
    const ids = await connection.models({ signal })()
    if (E.isLeft(ids))
      return hasNoList(ids.left) ? E.right(undefined) : E.left(toCheckFailure(ids.left))
    return ids.right.includes(model) || ids.right.includes(`${model}:latest`)
      ? E.right(undefined)
      : E.left(
          createPermanentFailure(
            `the engine does not list the model "${model}"`,
            `; it lists ${formatIds(ids.right)}: pass one of them with --engine-model`,
          ),
        )
  }

const hasNoList = ({ failure }: EngineCallFailure): boolean =>
  failure._tag === 'ApiError' && (failure.status === 404 || failure.status === 405)

/** The form of requests that is tried first. */
export const defaultForm: RequestForm = { limitMember: 'max_tokens', listedTokens: maxLetters }

/** The number of likely tokens that is requested if the engine refuses to list 20. All known engines list this many. */
const minListedTokens = 5

/** Asks the trial question, and asks again in another form if the engine refuses this one. Returns the accepted form. */
const askTrial =
  (
    options: OpenaiOptions,
    connection: EngineConnection,
    signal: AbortSignal,
    form: RequestForm,
  ): TE.TaskEither<CheckFailure, RequestForm> =>
  async () => {
    const prefix = formatPrefix(trialState)
    const body = createBodyEncoder(options.model, prefix, form, options.body)(trialQuestion)
    const completion = await connection.complete(body, { signal })()
    if (E.isLeft(completion)) {
      const nextForm = findNextForm(form, completion.left)
      return nextForm === undefined
        ? E.left(toCheckFailure(completion.left))
        : askTrial(options, connection, signal, nextForm)()
    }
    const checked = checkCompletion(options, completion.right)
    return E.isLeft(checked) ? checked : E.right(form)
  }

/**
 * Returns the form to try after a refusal: with the other member, or a shorter list. `undefined` if the refusal was
 * about neither.
 */
const findNextForm = (
  form: RequestForm,
  { failure }: EngineCallFailure,
): RequestForm | undefined => {
  if (failure._tag !== 'ApiError' || failure.status >= 500) return undefined
  if (form.limitMember === 'max_tokens' && failure.message.includes('max_completion_tokens'))
    return { ...form, limitMember: 'max_completion_tokens' }
  if (form.listedTokens > minListedTokens && /top_?logprobs/i.test(failure.message))
    return { ...form, listedTokens: minListedTokens }
  return undefined
}

const checkCompletion = (
  { model }: OpenaiOptions,
  { candidates }: TokenCompletion,
): E.Either<CheckFailure, void> => {
  if (candidates.length === 0) {
    const what = `${noLogprobs} for the model "${model}"`
    const advice =
      '. It has to support logprobs and top_logprobs in ' +
      'chat completions (Ollama does from 0.12.11 on; llama.cpp, vLLM and SGLang do)'
    return E.left(createPermanentFailure(what, advice))
  }
  const checked = checkTrial(candidates, model, thinkingAdvice)
  if (E.isRight(checked)) return checked
  const failure = createPermanentFailure(`the model "${model}" does not answer with letters`)
  return E.left({ ...failure, message: checked.left })
}

const thinkingAdvice = 'A model that thinks first has to be told not to, see --engine-body'

/** Creates a failure that waiting does not cure. Only the operator sees `advice`. */
const createPermanentFailure = (what: string, advice = ''): CheckFailure => ({
  isAway: false,
  problem: engineFailed(what),
  message: what + advice,
})

const toCheckFailure = (failed: EngineCallFailure): CheckFailure => {
  const { failure } = failed
  const isAway =
    failure._tag === 'Connection' ||
    (failure._tag === 'ApiError' && (failure.status >= 500 || [408, 429].includes(failure.status)))
  return { isAway, problem: describeCallFailure(failed), message: plainMessageOf(failure) }
}

const maxShownIds = 5

const formatIds = (ids: ReadonlyArray<string>): string => {
  if (ids.length === 0) return 'none'
  const hiddenCount = ids.length - maxShownIds
  const shown = ids.slice(0, maxShownIds).join(', ')
  return hiddenCount > 0 ? `${shown} and ${hiddenCount} more` : shown
}
