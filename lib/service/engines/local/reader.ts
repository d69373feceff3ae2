import * as E from 'fp-ts/Either'
import { engineFailed, maxTokensExceeded, type Problem } from '../../contract/problem'
import { type Completion, cancelled } from '../readout/answers'
import { type Candidate, mostLetters } from '../readout/letters'
import {
  type ControlledToken,
  firstLineOf,
  type GenerateNext,
  type Next,
  type Sequence,
  type Token,
} from './library'
import { batchSize, type OpenModel, type ReadState } from './open-model'

/** Turns the beginning of a request's prompts into tokens. Fails with both lengths where it leaves no room. */
export const tokenizePrefix = async (
  open: OpenModel,
  text: string,
): Promise<E.Either<Problem, ReadonlyArray<Token>>> => {
  const least = await countLeast(open, text)
  return least > open.room
    ? E.left(refuseLength(open, `at least ${least}`))
    : E.right([...open.frame.before, ...tokenize(open, text)])
}

/**
 * Has the model read a prompt, and returns the probabilities of the next token: all spellings of all letters, and
 * the likeliest other tokens. Of a prompt whose `prefix` is one of the last that were read, only the question is read. Fails
 * with both lengths where a prompt is too long. Only one prompt can be read at a time.
 */
export const readPrompt = async (
  open: OpenModel,
  prefix: ReadonlyArray<Token>,
  question: string,
  signal: AbortSignal,
): Promise<E.Either<Problem, Completion>> => {
  const least = await countLeast(open, question)
  if (least > open.room) return E.left(refuseLength(open, `at least ${least}`))
  const rest = [...tokenize(open, question), ...open.frame.after]
  const length = prefix.length + rest.length
  if (length > open.room) return E.left(refuseLength(open, `${length}`))
  const sequence = await takeSequence(open, prefix, rest)
  try {
    const candidates = await evaluate(open, sequence, [prefix, rest], signal)
    return candidates === undefined
      ? E.left(cancelled)
      : E.right({ candidates, input: length, output: 1 })
  } catch (error) {
    await sequence.clearHistory().catch(() => undefined)
    return E.left(engineFailed(`the model failed: ${firstLineOf(error)}`))
  }
}

/** Text that looks like a control token stays text. */
const tokenize = ({ model }: OpenModel, text: string): ReadonlyArray<Token> =>
  model.tokenize(text, false, 'trimLeadingSpace')

/** How many characters are turned into tokens at once, while the event loop stands still for a few milliseconds. */
const pieceLength = 1 << 16

/** Counts the tokens of a long text until there are too many. 0 for a text of one piece, which is counted later. */
const countLeast = async (open: OpenModel, text: string): Promise<number> => {
  let count = 0
  if (text.length <= pieceLength) return count
  for (let at = 0; at < text.length && count <= open.room; at += pieceLength) {
    count += tokenize(open, text.slice(at, at + pieceLength)).length
    await new Promise((next) => setImmediate(next))
  }
  return count
}

const refuseLength = ({ room }: OpenModel, count: string): Problem =>
  maxTokensExceeded(
    `the state is too long for the engine: with the question it takes ${count} tokens, ` +
      `and there is room for ${room} (--engine-context)`,
  )

/**
 * Takes the memory in which this prefix was read, or else the one that was used longest ago, and takes everything out of it
 * that does not belong to the prompt. A prefix is always read in batches from its beginning, and a question in batches from
 * the end of its prefix: only what was read in the same batches stays, so that the same prompt gives bit-identical results,
 * whatever was asked before.
 */
const takeSequence = async (
  { states }: OpenModel,
  prefix: ReadonlyArray<Token>,
  question: ReadonlyArray<Token>,
): Promise<Sequence> => {
  const known = states.findIndex((state) => isSame(state.prefix, prefix))
  const [state] = states.splice(Math.max(0, known), 1) as [ReadState]
  const { sequence } = state
  states.push({ sequence, prefix })
  // The last token is always read, since the next one is told after it.
  const shared = countShared(sequence.contextTokens, [...prefix, ...question.slice(0, -1)])
  const kept =
    known >= 0 && shared >= prefix.length
      ? prefix.length + countInBatches(shared - prefix.length)
      : countInBatches(Math.min(shared, state.prefix.length))
  if (kept < sequence.nextTokenIndex)
    await sequence.eraseContextTokenRanges([{ start: kept, end: sequence.nextTokenIndex }])
  return sequence
}

/** How many of so many tokens fill whole batches. */
const countInBatches = (tokens: number): number => tokens - (tokens % batchSize)

const isSame = (one: ReadonlyArray<Token>, other: ReadonlyArray<Token>): boolean =>
  one === other || (one.length === other.length && countShared(one, other) === one.length)

const countShared = (one: ReadonlyArray<Token>, other: ReadonlyArray<Token>): number => {
  const differ = one.findIndex((token, i) => token !== other[i])
  return differ < 0 ? one.length : differ
}

/**
 * Reads what a sequence does not hold yet of a prompt, a prefix and a question, and returns the likeliest next tokens.
 * `undefined` where the signal fires first.
 */
const evaluate = async (
  { model, letters, tellsLogits }: OpenModel,
  sequence: Sequence,
  [prefix, question]: readonly [ReadonlyArray<Token>, ReadonlyArray<Token>],
  signal: AbortSignal,
): Promise<ReadonlyArray<Candidate> | undefined> => {
  const wanted = tellsLogits
    ? ({
        logits: { filter: { tokens: letters, includeTop: mostLetters } },
        totalLogitWeight: true,
      } as const)
    : ({ probabilities: true } as const)
  const generateNext: GenerateNext = {
    ...wanted,
    // These values switch sampling filters off: with its defaults the library leaves out all but the 40
    // likeliest tokens.
    options: { temperature: 0, topK: 0, topP: 1, minP: 0 },
  }
  const read = sequence.nextTokenIndex
  const beginning = batchesOf(prefix.slice(read))
  const unread = question.slice(Math.max(0, read - prefix.length), -1)
  const end = batchesOf<ControlledToken>([...unread, [question.at(-1) ?? 0, { generateNext }]])
  let results: Awaited<ReturnType<Sequence['controlledEvaluate']>> = []
  for (const batch of [...beginning, ...end]) {
    if (signal.aborted) return undefined
    results = await sequence.controlledEvaluate(batch)
  }
  return logprobsOf(results.at(-1)?.next ?? {}, letters).map(([token, logprob]) => ({
    token: model.detokenize([token]),
    logprob,
  }))
}

/** The log-probabilities of the likeliest tokens and of the letters. */
const logprobsOf = (
  { logits = new Map<Token, number>(), totalLogitWeight = 1, probabilities }: Next,
  letters: ReadonlyArray<Token>,
): ReadonlyArray<readonly [Token, number]> => {
  if (probabilities !== undefined)
    return [...new Set([...[...probabilities.keys()].slice(0, mostLetters), ...letters])]
      .map((token) => [token, Math.log(probabilities.get(token) ?? 0)] as const)
      .filter(([, logprob]) => Number.isFinite(logprob))
  const highest = Math.max(...logits.values())
  return [...logits].map(([token, logit]) => [token, logit - highest - Math.log(totalLogitWeight)])
}

const batchesOf = <A>(tokens: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(tokens.length / batchSize) }, (_, i) =>
    tokens.slice(i * batchSize, (i + 1) * batchSize),
  )
