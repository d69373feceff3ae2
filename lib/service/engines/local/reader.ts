import * as E from 'fp-ts/Either'
import { engineFailed, maxTokensExceeded, type Problem } from '../../contract/problem'
import { cancelled, type TokenCompletion } from '../readout/answers'
import { type Candidate, maxLetters } from '../readout/letters'
import { firstLineOf, type Model, type ModelToken } from './library'
import { batchSize, type OpenModel } from './open-model'

/** The characters that a token of a long text has at most. Longer texts are refused without being tokenized. */
const maxTokenLength = 64

/**
 * Has the model read a prompt, and returns the probabilities of the next token: all spellings of all letters, and the
 * likeliest other tokens. Tokens at the beginning that the last prompt had too are not read again. Fails with both
 * lengths if the prompt is too long. Only one prompt can be read at a time.
 */
export const readPrompt = async (
  open: OpenModel,
  prompt: string,
  signal: AbortSignal,
): Promise<E.Either<Problem, TokenCompletion>> => {
  const minTokens = Math.ceil(prompt.length / maxTokenLength)
  if (minTokens > open.maxPromptTokens) return E.left(refuseLength(open, `at least ${minTokens}`))
  const tokens = tokenizePrompt(open, prompt)
  if (tokens.length > open.maxPromptTokens) return E.left(refuseLength(open, `${tokens.length}`))
  try {
    const candidates = await evaluate(open, tokens, signal)
    return candidates === undefined
      ? E.left(cancelled)
      : E.right({ candidates, input: tokens.length, output: 1 })
  } catch (error) {
    await open.sequence.clearHistory().catch(() => undefined)
    return E.left(engineFailed(`the model failed: ${firstLineOf(error)}`))
  }
}

/**
 * Tokenizes a prompt within the chat template, as one text like llama.cpp does. If the prompt contains the name of a
 * control token, the three parts are tokenized separately, which keeps the name a text.
 */
const tokenizePrompt = (
  { model, frame: [before, after] }: OpenModel,
  prompt: string,
): ReadonlyArray<ModelToken> => {
  const whole = model.tokenize(before + prompt + after, true)
  const own = model.tokenize(before + after, true)
  if (countSpecial(model, whole) === countSpecial(model, own)) return withBos(model, whole)
  return withBos(model, [
    ...model.tokenize(before, true),
    ...model.tokenize(prompt, false, 'trimLeadingSpace'),
    ...model.tokenize(after, true, 'trimLeadingSpace'),
  ])
}

const countSpecial = (model: Model, tokens: ReadonlyArray<ModelToken>): number =>
  tokens.filter((token) => model.isSpecialToken(token)).length

const withBos = (
  { tokens: { bos, shouldPrependBosToken } }: Model,
  tokens: ReadonlyArray<ModelToken>,
) => (shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens)

const refuseLength = ({ maxPromptTokens }: OpenModel, count: string): Problem =>
  maxTokensExceeded(
    `the state is too long for the engine: with the question it takes ${count} tokens, ` +
      `and there is room for ${maxPromptTokens} (--engine-context)`,
  )

const generateNext = {
  probabilities: true,
  // These values switch sampling filters off. With its defaults the library returns only the 40 likeliest tokens.
  options: { temperature: 0, topK: 0, topP: 1, minP: 0 },
} as const

/** Reads a prompt and returns the likeliest next tokens. `undefined` if the signal fires first. */
const evaluate = async (
  open: OpenModel,
  tokens: ReadonlyArray<ModelToken>,
  signal: AbortSignal,
): Promise<ReadonlyArray<Candidate> | undefined> => {
  const { model, sequence, letters } = open
  // Only whole batches are kept: the same prompt is then always read in the same batches and gives the same bits.
  // The last token is always read, since the next one is predicted after it.
  const shared = countShared(sequence.contextTokens, tokens.slice(0, -1))
  const kept = shared - (shared % batchSize)
  if (kept < sequence.nextTokenIndex)
    await sequence.eraseContextTokenRanges([{ start: kept, end: sequence.nextTokenIndex }])
  const input: Parameters<typeof sequence.controlledEvaluate>[0] = [
    ...tokens.slice(kept, -1),
    [tokens.at(-1) ?? 0, { generateNext }],
  ]
  let results: Awaited<ReturnType<typeof sequence.controlledEvaluate>> = []
  for (let at = 0; at < input.length; at += batchSize) {
    if (signal.aborted) return undefined
    results = await sequence.controlledEvaluate(input.slice(at, at + batchSize))
  }
  const probabilities = results.at(-1)?.next.probabilities ?? new Map<ModelToken, number>()
  const likeliest = [...probabilities.keys()].slice(0, maxLetters)
  return [...new Set([...likeliest, ...letters])].flatMap((token) => {
    const probability = probabilities.get(token) ?? 0
    return probability > 0
      ? [{ token: model.detokenize([token]), logprob: Math.log(probability) }]
      : []
  })
}

const countShared = (one: ReadonlyArray<ModelToken>, other: ReadonlyArray<ModelToken>): number => {
  const differ = one.findIndex((token, i) => token !== other[i])
  return differ < 0 ? one.length : differ
}
