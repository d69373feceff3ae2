import * as E from 'fp-ts/Either'
import { engineFailed, maxTokensExceeded, type Problem } from '../../contract/problem'
import { type Completion, cancelled } from '../readout/answers'
import { type Candidate, mostLetters } from '../readout/letters'
import { type GenerateNext, reason, type Token } from './library'
import { batchSize, type OpenModel } from './open-model'

/**
 * Has the model read a prompt, and returns the probabilities of the next token: all spellings of all letters, and
 * the likeliest other tokens. The beginning that a prompt
 * shares with the previous one is not computed again. Fails with both lengths where a prompt is too long, since
 * the library would silently drop its beginning. Only one prompt can be read at a time.
 */
export const read = async (
  open: OpenModel,
  prompt: string,
  signal: AbortSignal,
): Promise<E.Either<Problem, Completion>> => {
  const least = await leastTokens(open, prompt)
  if (least > open.room) return E.left(withoutRoom(open, `at least ${least}`))
  const tokens = tokensOf(open, prompt)
  if (tokens.length > open.room) return E.left(withoutRoom(open, `${tokens.length}`))
  try {
    const next = await evaluate(open, tokens, signal)
    return next === undefined
      ? E.left(cancelled)
      : E.right({ candidates: next, input: tokens.length, output: 1 })
  } catch (error) {
    await open.sequence.clearHistory().catch(() => undefined)
    return E.left(engineFailed(`the model failed: ${reason(error)}`))
  }
}

/**
 * How many characters are turned into tokens at once. That takes a few milliseconds, during which the event
 * loop accepts no requests.
 */
const pieceLength = 1 << 16

/**
 * Counts the tokens of a long prompt piece by piece, and stops once there are too many. 0 for a prompt of one
 * piece, which is counted later.
 */
const leastTokens = async ({ model, room }: OpenModel, prompt: string): Promise<number> => {
  let count = 0
  if (prompt.length <= pieceLength) return count
  for (let at = 0; at < prompt.length && count <= room; at += pieceLength) {
    count += model.tokenize(prompt.slice(at, at + pieceLength)).length
    await new Promise((next) => setImmediate(next))
  }
  return count
}

const withoutRoom = ({ room }: OpenModel, count: string): Problem =>
  maxTokensExceeded(
    `the state is too long for the engine: with the question it takes ${count} tokens, ` +
      `and there is room for ${room} (--engine-context)`,
  )

/**
 * Turns a prompt into a chat with one message of a user. Text in it that looks like a control token stays text.
 */
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
    // These values switch sampling filters off: with its defaults the library leaves out all but the 40
    // likeliest tokens.
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
