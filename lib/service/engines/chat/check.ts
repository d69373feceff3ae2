import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { AttemptFailure } from '../../../client/call/attempt'
import { type EngineFailure, engineFault, type Failure } from '../../../failure/failure'
import { engineFailed, type Problem } from '../../contract/problem'
import type { TokenCompletion } from '../readout/answers'
import { maxLetters } from '../readout/letters'
import { formatPrefix } from '../readout/prompt'
import { noLogprobs } from '../readout/read-distribution'
import { checkTrial, trialEnd, trialState } from '../readout/trial'
import type { EngineConnection } from './connection'
import { createCallProblem } from './failures'
import type { ChatOptions } from './options'
import { createBodyEncoder, type RequestForm } from './request-body'

/** The reason why an endpoint cannot be used. */
export interface CheckFailure {
  /** True if the endpoint may work later: it cannot be reached, or answers with 408, 429 or 5xx. */
  readonly isTemporary: boolean
  /** The problem for callers and the log. */
  readonly problem: Problem
  /** The failure of a start: the reason and, if possible, what to do. */
  readonly failure: Failure
}

/**
 * Checks that the endpoint lists the model, that it returns log-probabilities, and that the model answers with a letter. Skips the
 * first of these checks if the endpoint has no model list. Returns the form of requests that the endpoint accepts.
 */
export const checkEndpoint =
  (
    options: ChatOptions,
    connection: EngineConnection,
    signal: AbortSignal,
  ): TE.TaskEither<CheckFailure, RequestForm> =>
  async () => {
    const modelList = await checkModelList(options, connection, signal)
    return E.isLeft(modelList) ? modelList : askTrial(options, connection, signal, defaultForm)
  }

/**
 * Checks that the endpoint works, by requesting its model list. Fails if the endpoint cannot be reached, or answers with a status of
 * 401, 403 or 5xx. A missing or invalid list is no failure.
 */
export const pingEndpoint = (
  connection: EngineConnection,
  signal: AbortSignal,
): TE.TaskEither<Problem, void> =>
  pipe(
    connection.listModels({ signal }),
    TE.map((): void => undefined),
    TE.orElse((attemptFailure) =>
      isEndpointWorking(attemptFailure.failure)
        ? TE.right(undefined)
        : TE.left(createCallProblem(attemptFailure)),
    ),
  )

/** Returns true if the endpoint works, although it does not return a model list. */
const isEndpointWorking = (failure: Failure): boolean => {
  if (failure._tag === 'InvalidResponse') return true
  if (failure._tag !== 'ApiError') return false
  const { status } = failure
  return status < 500 && status !== 401 && status !== 403
}

const checkModelList = async (
  { model, names }: ChatOptions,
  connection: EngineConnection,
  signal: AbortSignal,
): Promise<E.Either<CheckFailure, void>> => {
  const ids = await connection.listModels({ signal })()
  if (E.isLeft(ids))
    return hasNoModelList(ids.left) ? E.right(undefined) : E.left(toCheckFailure(ids.left))
  // Ollama lists `small:latest` for a model that it also accepts as `small`.
  if (ids.right.includes(model) || ids.right.includes(`${model}:latest`)) return E.right(undefined)
  const reason = `the engine does not list the model "${model}"`
  const advice = `; it lists ${formatIds(ids.right)}: pass one of them with ${names.nameOf('model')}`
  return E.left(createPermanentFailure('request', reason, advice))
}

const hasNoModelList = ({ failure }: AttemptFailure): boolean =>
  failure._tag === 'ApiError' && (failure.status === 404 || failure.status === 405)

/** The form of requests that svc tries first. */
export const defaultForm: RequestForm = { limitMember: 'max_tokens', listedTokens: maxLetters }

/** The number of listed tokens to request if the endpoint refuses 20. All known servers accept 5. */
const minListedTokens = 5

/**
 * Asks a simple yes/no question, to find out if the model answers with a letter. If the endpoint refuses the form of the request, tries
 * the next form. Returns the accepted form.
 */
const askTrial = async (
  options: ChatOptions,
  connection: EngineConnection,
  signal: AbortSignal,
  form: RequestForm,
): Promise<E.Either<CheckFailure, RequestForm>> => {
  const prefix = formatPrefix(trialState)
  const encodeBody = createBodyEncoder(options, prefix, form)
  const completion = await connection.complete(encodeBody(trialEnd), { signal })()
  if (E.isLeft(completion)) {
    const nextForm = findNextForm(form, completion.left)
    return nextForm === undefined
      ? E.left(toCheckFailure(completion.left))
      : askTrial(options, connection, signal, nextForm)
  }
  const checkResult = checkCompletion(options, completion.right)
  return E.isLeft(checkResult) ? checkResult : E.right(form)
}

/**
 * Returns the form to try after a failed call. Returns `undefined` if the endpoint has not refused `max_tokens` or `top_logprobs`, or if
 * `form` already avoids the refusal.
 */
const findNextForm = (form: RequestForm, { failure }: AttemptFailure): RequestForm | undefined => {
  if (failure._tag !== 'ApiError' || failure.status >= 500) return undefined
  if (form.limitMember === 'max_tokens' && failure.message.includes('max_completion_tokens'))
    return { ...form, limitMember: 'max_completion_tokens' }
  if (form.listedTokens > minListedTokens && /top_?logprobs/i.test(failure.message))
    return { ...form, listedTokens: minListedTokens }
  return undefined
}

const checkCompletion = (
  { model, names }: ChatOptions,
  { candidates, isThinking }: TokenCompletion,
): E.Either<CheckFailure, void> => {
  if (isThinking) {
    const reason = `the model "${model}" thinks before it answers`
    const advice = `: turn that off with ${names.nameOf('body')} (svc help engines shows how)`
    return E.left(createPermanentFailure('server', reason, advice))
  }
  if (candidates.length === 0) {
    const reason = `${noLogprobs} for the model "${model}"`
    const advice =
      '. It has to support logprobs and top_logprobs in ' +
      'chat completions (Ollama does from 0.12.11 on; llama.cpp, vLLM and SGLang do)'
    return E.left(createPermanentFailure('server', reason, advice))
  }
  const thinkingAdvice = `If the model thinks first, turn that off with ${names.nameOf('body')}`
  const checkResult = checkTrial(candidates, model, thinkingAdvice)
  if (E.isRight(checkResult)) return checkResult
  const reason = `the model "${model}" does not answer with letters`
  const failure = engineFault('server', checkResult.left)
  return E.left({ ...createPermanentFailure('server', reason), failure })
}

/** Creates a failure that is not temporary. Callers see only the reason; the operator also sees `advice`. */
const createPermanentFailure = (
  kind: EngineFailure['kind'],
  reason: string,
  advice = '',
): CheckFailure => ({
  isTemporary: false,
  problem: engineFailed(reason),
  failure: engineFault(kind, reason + advice),
})

const toCheckFailure = (attemptFailure: AttemptFailure): CheckFailure => {
  const { failure } = attemptFailure
  const isTemporary =
    failure._tag === 'Connection' ||
    (failure._tag === 'ApiError' && (failure.status >= 500 || [408, 429].includes(failure.status)))
  return {
    isTemporary,
    problem: createCallProblem(attemptFailure),
    failure,
  }
}

const maxShownIds = 5

/** Formats the ids of models for a message: at most five of them. */
export const formatIds = (ids: ReadonlyArray<string>): string => {
  if (ids.length === 0) return 'none'
  const hiddenCount = ids.length - maxShownIds
  const shownIds = ids.slice(0, maxShownIds).join(', ')
  return hiddenCount > 0 ? `${shownIds} and ${hiddenCount} more` : shownIds
}
