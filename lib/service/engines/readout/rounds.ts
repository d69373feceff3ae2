import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Problem } from '../../contract/problem'

/** Asks which of these options fits best, in one prompt. Returns their probabilities. An option is an index. */
type AskAmong = (options: ReadonlyArray<number>) => TE.TaskEither<Problem, ReadonlyArray<number>>

/**
 * Reads the distribution over options if one prompt can have at most `maxOptions`. More options are asked in blocks of about equal
 * size, and then the finalists are asked together: the best option of each block and, up to `maxOptions`, the next best ones. If there
 * are too many finalists for one prompt, they are asked in rounds too. A finalist gets its share of the final. Each other option keeps
 * its ratio to the finalists of its block. This is exactly the result of one prompt with all options, if the ratio of two options does
 * not depend on the other options in the prompt.
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
  const computeStart = (block: number): number => Math.round((block * options.length) / blockCount)
  return Array.from({ length: blockCount }, (_, block) =>
    options.slice(computeStart(block), computeStart(block + 1)),
  )
}

/** Picks the best option of each block and, up to `maxOptions`, the next best ones. Returns them in their original order. */
const pickFinalists = (
  blocks: Blocks,
  shares: Shares,
  maxOptions: number,
): ReadonlyArray<number> => {
  const ranked = blocks.flatMap((block, b) =>
    block
      .map((option, i) => ({ option, share: shares[b]?.[i] ?? 0 }))
      .sort((a, b) => b.share - a.share || a.option - b.option)
      .map((entry, rank) => ({ ...entry, isBest: rank === 0 })),
  )
  return ranked
    .sort((a, b) => Number(b.isBest) - Number(a.isBest) || b.share - a.share)
    .slice(0, Math.max(maxOptions, blocks.length))
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
  const weights = blocks.flatMap((block, b) => {
    const entries = block.map((option, i) => ({
      finalShare: finalShareByOption.get(option),
      blockShare: shares[b]?.[i] ?? 0,
    }))
    // A finalist has both shares. Their ratio is the scale for the other options of the block.
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
