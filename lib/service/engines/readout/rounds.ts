import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Problem } from '../../contract/problem'

/** Asks which of these options fits best. Returns their probabilities. An option is given by its index in the question. */
type AskAmong = (options: ReadonlyArray<number>) => TE.TaskEither<Problem, ReadonlyArray<number>>

/**
 * Reads the distribution over any number of options, with at most `maxOptions` in one prompt:
 * 1. If there are more options, they are asked in blocks of about equal size.
 * 2. The finalists are asked together: the best option of each block and, up to `maxOptions`, the next best ones. If they are too many
 *    for one prompt, they are asked in rounds too.
 * 3. A finalist gets its share of the final. Each other option keeps its ratio to the finalists of its block.
 *
 * If the ratio of two options does not depend on the rest of the prompt, this is the result of one prompt with all options.
 */
export const askInRounds = (
  options: ReadonlyArray<number>,
  maxOptions: number,
  ask: AskAmong,
): TE.TaskEither<Problem, ReadonlyArray<number>> => {
  if (options.length === 1) return TE.right([1])
  if (options.length <= maxOptions) return ask(options)
  const blocks = divideEvenly(options, Math.ceil(options.length / maxOptions))
  return pipe(
    blocks,
    TE.traverseArray(ask),
    TE.chain((shares) => {
      const finalists = pickFinalists(blocks, shares, maxOptions)
      return pipe(
        askInRounds(finalists, maxOptions, ask),
        TE.map((finalShares) => composeShares(blocks, shares, finalists, finalShares)),
      )
    }),
  )
}

/** The options of each block. */
type Blocks = ReadonlyArray<ReadonlyArray<number>>
/** The probability of each option within its block, in the order of `Blocks`. */
type Shares = ReadonlyArray<ReadonlyArray<number>>

/** Divides options into blocks whose sizes differ by at most one. */
const divideEvenly = (options: ReadonlyArray<number>, blockCount: number): Blocks => {
  const computeStart = (index: number): number => Math.round((index * options.length) / blockCount)
  return Array.from({ length: blockCount }, (_, index) =>
    options.slice(computeStart(index), computeStart(index + 1)),
  )
}

/** Picks the best option of each block and, up to `maxOptions`, the next best ones. Returns them in their original order. */
const pickFinalists = (
  blocks: Blocks,
  shares: Shares,
  maxOptions: number,
): ReadonlyArray<number> => {
  const rankedBlocks = blocks.map((block, blockIndex) =>
    block
      .map((option, i) => ({ option, share: shares[blockIndex]?.[i] ?? 0 }))
      .sort((a, b) => b.share - a.share || a.option - b.option),
  )
  const winners = rankedBlocks.flatMap((ranked) => ranked.slice(0, 1))
  const others = rankedBlocks.flatMap((ranked) => ranked.slice(1)).sort((a, b) => b.share - a.share)
  const remainingPlaces = Math.max(0, maxOptions - winners.length)
  return [...winners, ...others.slice(0, remainingPlaces)]
    .map(({ option }) => option)
    .sort((a, b) => a - b)
}

/** Combines the shares in the blocks with the shares of the finalists into one distribution, in the order of the options. */
const composeShares = (
  blocks: Blocks,
  shares: Shares,
  finalists: ReadonlyArray<number>,
  finalShares: ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const finalShareByOption = new Map(finalists.map((option, i) => [option, finalShares[i] ?? 0]))
  const weights = blocks.flatMap((block, blockIndex) => {
    const entries = block.map((option, i) => ({
      finalShare: finalShareByOption.get(option),
      blockShare: shares[blockIndex]?.[i] ?? 0,
    }))
    // The sum of the finalists' shares of the final, divided by the sum of their shares of the block, scales its other options.
    const blockFinalists = entries.filter(({ finalShare }) => finalShare !== undefined)
    const finalSum = sum(blockFinalists.map(({ finalShare }) => finalShare ?? 0))
    const blockSum = sum(blockFinalists.map(({ blockShare }) => blockShare))
    return entries.map(
      ({ finalShare, blockShare }) => finalShare ?? (blockShare * finalSum) / blockSum,
    )
  })
  const total = sum(weights)
  return weights.map((weight) => weight / total)
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)
