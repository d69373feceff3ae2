import * as E from 'fp-ts/Either'
import { badAnswer, type EngineFailure, tooLong } from '../engine'
import { type Candidate, mostLetters } from '../readout/letters'
import { type GenerateNext, reason, type Token } from './library'
import { batchSize, type OpenModel } from './open-model'

/** What was read of a model's next token. */
export interface Reading {
  /** All letters in all spellings, and the likeliest tokens besides. */
  readonly candidates: ReadonlyArray<Candidate>
  /** How many tokens the prompt has. */
  readonly tokens: number
}

/**
 * Has the model read a prompt and tells what it would say next. What the prompt shares with the one before is not
 * computed again. A prompt without room fails with the numbers, since the library would drop its beginning in silence.
 * Only one prompt can be read at a time.
 */
export const read = async (
  open: OpenModel,
  prompt: string,
  signal: AbortSignal,
): Promise<E.Either<EngineFailure, Reading>> => {
  const least = await leastTokens(open, prompt)
  if (least > open.room) return E.left(withoutRoom(open, `at least ${least}`))
  const tokens = tokensOf(open, prompt)
  if (tokens.length > open.room) return E.left(withoutRoom(open, `${tokens.length}`))
  try {
    const next = await evaluate(open, tokens, signal)
    return next === undefined
      ? E.left(cancelled)
      : E.right({ candidates: next, tokens: tokens.length })
  } catch (error) {
    await open.sequence.clearHistory().catch(() => undefined)
    return E.left(badAnswer(`the model failed: ${reason(error)}`))
  }
}

/** How many characters are made tokens at once, which takes some milliseconds of the loop that takes requests. */
const pieceLength = 1 << 16

/** Counts the tokens of a long prompt piece by piece until they have no room; 0 for a prompt of one piece. */
const leastTokens = async ({ model, room }: OpenModel, prompt: string): Promise<number> => {
  let count = 0
  if (prompt.length <= pieceLength) return count
  for (let at = 0; at < prompt.length && count <= room; at += pieceLength) {
    count += model.tokenize(prompt.slice(at, at + pieceLength)).length
    await new Promise((next) => setImmediate(next))
  }
  return count
}

/** A prompt that was not read, or not to its end, since nobody waits for the answer. */
export const cancelled = badAnswer('the question was cancelled')

const withoutRoom = ({ room }: OpenModel, count: string): EngineFailure =>
  tooLong(
    `the state is too long for the engine: with the question it takes ${count} tokens, ` +
      `and there is room for ${room} (--engine-context)`,
  )

/** The prompt as the one message of a user. Its text stays text, also where it reads like a control token. */
const tokensOf = ({ model, wrapper }: OpenModel, text: string): ReadonlyArray<Token> =>
  wrapper
    .generateContextState({
      chatHistory: [
        { type: 'user', text },
        { type: 'model', response: [''] },
      ],
    })
    .contextText.tokenize(model.tokenizer)

const evaluate = async (
  { sequence, model, letters }: OpenModel,
  tokens: ReadonlyArray<Token>,
  signal: AbortSignal,
): Promise<ReadonlyArray<Candidate> | undefined> => {
  const same = sharedLength(sequence.contextTokens, tokens)
  const kept = batchSize * Math.floor(Math.min(same, tokens.length - 1) / batchSize)
  if (kept < sequence.nextTokenIndex)
    await sequence.eraseContextTokenRanges([{ start: kept, end: sequence.nextTokenIndex }])
  const generateNext: GenerateNext = {
    logits: { filter: { tokens: letters, includeTop: mostLetters } },
    totalLogitWeight: true,
    // The library's own settings leave all but the 40 likeliest tokens out.
    options: { temperature: 0, topK: 0, topP: 1, minP: 0 },
  }
  for (let at = sequence.nextTokenIndex; !signal.aborted; at += batchSize) {
    const batch = tokens.slice(at, at + batchSize)
    const last = at + batchSize >= tokens.length
    const results = await sequence.controlledEvaluate(
      batch.map((token, i) => (last && i === batch.length - 1 ? [token, { generateNext }] : token)),
    )
    if (!last) continue
    const { logits = new Map<Token, number>(), totalLogitWeight = 1 } = results.at(-1)?.next ?? {}
    const highest = Math.max(...logits.values())
    return [...logits].map(([token, logit]) => ({
      token: model.detokenize([token]),
      logprob: logit - highest - Math.log(totalLogitWeight),
    }))
  }
  return undefined
}

const sharedLength = (one: ReadonlyArray<Token>, other: ReadonlyArray<Token>): number => {
  const differ = one.findIndex((token, i) => token !== other[i])
  return differ < 0 ? Math.min(one.length, other.length) : differ
}
