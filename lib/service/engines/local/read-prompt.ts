import * as E from 'fp-ts/Either'
import { engineFailed, maxTokensExceeded, type Problem } from '../../contract/problem'
import { cancelled, type TokenCompletion } from '../readout/answers'
import { type Candidate, maxLetters } from '../readout/letters'
import { type EvaluationInput, type EvaluationResult, firstLineOf, type Model } from './library'
import { batchTokens, type LocalModel } from './load-model'

/** An upper bound for the characters per token in a long text. With it svc refuses a very long text without tokenizing it. */
const maxCharactersPerToken = 64

/**
 * Reads a prompt and returns the probabilities of the next token: all letters in all spellings, and the likeliest other tokens. The
 * common beginning of this and the previous prompt is not read again. If the prompt is too long, fails with its length and the
 * maximum. Fails with `cancelled` if the signal is aborted, and with a 502 if the model fails. Only one prompt can be read at a time.
 */
export const readPrompt = async (
  localModel: LocalModel,
  prompt: string,
  signal: AbortSignal,
): Promise<E.Either<Problem, TokenCompletion>> => {
  const minTokens = Math.ceil(prompt.length / maxCharactersPerToken)
  if (minTokens > localModel.maxPromptTokens)
    return refuseLength(localModel, `at least ${minTokens}`)
  const tokens = tokenizePrompt(localModel, prompt)
  if (tokens.length > localModel.maxPromptTokens)
    return refuseLength(localModel, `${tokens.length}`)
  try {
    const candidates = await evaluate(localModel, tokens, signal)
    return candidates === undefined
      ? E.left(cancelled)
      : E.right({ candidates, inputTokens: tokens.length, outputTokens: 1 })
  } catch (error) {
    await localModel.sequence.clearHistory().catch(() => undefined)
    return E.left(engineFailed(`the model failed: ${firstLineOf(error)}`))
  }
}

/**
 * Tokenizes the chat template with the prompt as one text, as llama.cpp does. If the prompt contains the name of a control token,
 * svc tokenizes the prompt separately, so the name stays plain text.
 */
const tokenizePrompt = (localModel: LocalModel, prompt: string): ReadonlyArray<number> => {
  const { model, chatAffixes } = localModel
  const [prefix, suffix] = chatAffixes
  // `true`: names of control tokens become tokens, as the template needs. In the prompt (`false` below) they stay text.
  const whole = model.tokenize(prefix + prompt + suffix, true)
  const withoutPrompt = model.tokenize(prefix + suffix, true)
  if (countControlTokens(model, whole) === countControlTokens(model, withoutPrompt))
    return addBos(model, whole)
  return addBos(model, [
    ...model.tokenize(prefix, true),
    ...model.tokenize(prompt, false, 'trimLeadingSpace'),
    ...model.tokenize(suffix, true, 'trimLeadingSpace'),
  ])
}

const countControlTokens = (model: Model, tokens: ReadonlyArray<number>): number =>
  tokens.filter((token) => model.isSpecialToken(token)).length

/** Adds the token for the beginning of a text (BOS), if the model needs it and it is missing. */
const addBos = (model: Model, tokens: ReadonlyArray<number>): ReadonlyArray<number> => {
  const { bos, shouldPrependBosToken } = model.tokens
  return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens
}

const refuseLength = (localModel: LocalModel, length: string): E.Either<Problem, never> => {
  const lengths = `with the question it takes ${length} tokens, and there is room for ${localModel.maxPromptTokens}`
  const message = `the state is too long for the engine: ${lengths} (${localModel.contextFlag})`
  return E.left(maxTokensExceeded(message))
}

const generateNext = {
  probabilities: true,
  // These values turn sampling filters off. By default node-llama-cpp returns only the 40 likeliest tokens.
  options: { temperature: 0, topK: 0, topP: 1, minP: 0 },
} as const

/** Evaluates a prompt and returns the likeliest next tokens. Returns `undefined` if the signal is aborted first. */
const evaluate = async (
  { model, sequence, letterTokens }: LocalModel,
  tokens: ReadonlyArray<number>,
  signal: AbortSignal,
): Promise<ReadonlyArray<Candidate> | undefined> => {
  // The last token always counts as unread, because the next token is predicted when it is evaluated.
  const lastIndex = tokens.length - 1
  const isUnread = (token: number, i: number) =>
    i === lastIndex || token !== sequence.contextTokens[i]
  const sharedCount = tokens.findIndex(isUnread)
  // Only whole batches are reused, so the same prompt is always evaluated in the same batches and has the same result.
  const reusedCount = batchTokens * Math.floor(sharedCount / batchTokens)
  if (reusedCount < sequence.nextTokenIndex)
    await sequence.eraseContextTokenRanges([{ start: reusedCount, end: sequence.nextTokenIndex }])
  // A prompt always has a last token, so the default 0 is never used.
  const input: ReadonlyArray<EvaluationInput> = [
    ...tokens.slice(reusedCount, lastIndex),
    [tokens[lastIndex] ?? 0, { generateNext }],
  ]
  let results: ReadonlyArray<EvaluationResult | undefined> = []
  for (let start = 0; start < input.length; start += batchTokens) {
    if (signal.aborted) return undefined
    results = await sequence.controlledEvaluate(input.slice(start, start + batchTokens))
  }
  // Only the last token asks for probabilities. The keys of the map are in descending order of probability. Without probabilities the
  // returned list would be empty, and the question would fail.
  const probabilities = results.at(-1)?.next.probabilities ?? new Map<number, number>()
  const likeliest = [...probabilities.keys()].slice(0, maxLetters)
  return [...new Set([...likeliest, ...letterTokens])].flatMap((token) => {
    const logprob = Math.log(probabilities.get(token) ?? 0)
    const isImpossible = logprob === Number.NEGATIVE_INFINITY
    return isImpossible ? [] : [{ token: model.detokenize([token]), logprob }]
  })
}
