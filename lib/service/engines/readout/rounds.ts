import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Problem } from '../../contract/problem'

/**
 * Asks which of these options fits best. Returns one probability for each option, in the same order. An option is given by its index
 * in the question.
 */
type AskAmong = (options: ReadonlyArray<number>) => TE.TaskEither<Problem, ReadonlyArray<number>>

/** The options of a block, each with its share: its probability within the block. */
type BlockShares = ReadonlyArray<{ readonly option: number; readonly share: number }>

/**
 * Reads the distribution over any number of options, with at most `maxOptions` in one prompt:
 * 1. If there are more options, they are asked in blocks of about equal size.
 * 2. The finalists are asked together: the best option of each block and, up to `maxOptions`, the next best ones. If they are too many
 *    for one prompt, they are asked in rounds too.
 * 3. A finalist gets its share of the final. Each other option keeps its ratio to the finalists of its block.
 *
 * `maxOptions` must be at least 2, so that each round has fewer options than the one before.
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
  const askBlock = (block: ReadonlyArray<number>): TE.TaskEither<Problem, BlockShares> =>
    pipe(
      ask(block),
      TE.map((shares) => block.map((option, i) => ({ option, share: shares[i] ?? 0 }))),
    )
  return pipe(
    // 1.
    divideEvenly(options, Math.ceil(options.length / maxOptions)),
    TE.traverseArray(askBlock),
    TE.chain((blocks) => {
      // 2.
      const finalists = pickFinalists(blocks, maxOptions)
      return pipe(
        askInRounds(finalists, maxOptions, ask),
        TE.map((shares) => {
          // 3.
          const finalShares = new Map(finalists.map((option, i) => [option, shares[i] ?? 0]))
          return composeShares(blocks, finalShares)
        }),
      )
    }),
  )
}

/** Divides options into blocks whose sizes differ by at most one. */
const divideEvenly = (
  options: ReadonlyArray<number>,
  blockCount: number,
): ReadonlyArray<ReadonlyArray<number>> => {
  const computeStart = (index: number): number => Math.round((index * options.length) / blockCount)
  return Array.from({ length: blockCount }, (_, index) =>
    options.slice(computeStart(index), computeStart(index + 1)),
  )
}

/** Picks the best option of each block and, up to `maxOptions`, the next best ones. Returns them in their original order. */
const pickFinalists = (
  blocks: ReadonlyArray<BlockShares>,
  maxOptions: number,
): ReadonlyArray<number> => {
  const sortedBlocks = blocks.map((block) =>
    [...block].sort((a, b) => b.share - a.share || a.option - b.option),
  )
  const winners = sortedBlocks.flatMap((block) => block.slice(0, 1))
  const others = sortedBlocks.flatMap((block) => block.slice(1)).sort((a, b) => b.share - a.share)
  const remainingPlaces = Math.max(0, maxOptions - winners.length)
  return [...winners, ...others.slice(0, remainingPlaces)]
    .map(({ option }) => option)
    .sort((a, b) => a - b)
}

/** Combines the shares of the blocks with those of the finalists into one distribution, in the order of the options. */
const composeShares = (
  blocks: ReadonlyArray<BlockShares>,
  finalShares: ReadonlyMap<number, number>,
): ReadonlyArray<number> => {
  const weights = blocks.flatMap((block) => {
    // The other options of the block are scaled as much as its finalists.
    const finalists = block.filter(({ option }) => finalShares.has(option))
    const finalSum = sum(finalists.map(({ option }) => finalShares.get(option) ?? 0))
    // Not 0: the best option of a block is a finalist, and its share is the largest of the block.
    const blockSum = sum(finalists.map(({ share }) => share))
    return block.map(
      ({ option, share }) => finalShares.get(option) ?? (share * finalSum) / blockSum,
    )
  })
  const total = sum(weights)
  return weights.map((weight) => weight / total)
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)
